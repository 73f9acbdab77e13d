# SPDX-License-Identifier: Apache-2.0
"""Reads all that a server tells by reflection with grpcio's client, and prints it as JSON.

usage: reflect_client.py HOST:PORT v1|v1alpha [in-turn | FILE …]
"""

import base64
import json
import queue
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

channel = grpc.insecure_channel(sys.argv[1])
database = ProtoReflectionDescriptorDatabase(channel)
if sys.argv[2] == "v1":
    # The messages of both versions are the same, but for the package of their names.
    database._stub.ServerReflectionInfo = channel.stream_stream(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
if "in-turn" in sys.argv:
    # As grpcurl does: the stream stays open until the answer is there.
    requests = queue.Queue()
    answers = database._stub.ServerReflectionInfo(iter(requests.get, None), timeout=30)
    requests.put(reflection_pb2.ServerReflectionRequest(list_services=""))
    listed = next(answers).list_services_response.service
    requests.put(None)
    # A program that ends while a call is under way may wait for ever in grpcio.
    assert not list(answers)
    channel.close()
    print(json.dumps([service.name for service in listed]))
    sys.exit()
pool = descriptor_pool.DescriptorPool(database)
out = {"services": list(database.get_services()), "methods": {}, "files": {}}


def fields(message, seen):
    """Walks from a message to all that it is made of, as grpcurl does to describe one."""
    if message.full_name in seen:
        return
    seen.add(message.full_name)
    for field in message.fields:
        if field.message_type:
            fields(field.message_type, seen)


for name in out["services"]:
    service = pool.FindServiceByName(name)
    for method in service.methods:
        seen = set()
        fields(method.input_type, seen)
        fields(method.output_type, seen)
        out["methods"][method.full_name] = sorted(seen)
for name in sys.argv[3:]:
    file = database.FindFileByName(name)
    out["files"][file.name] = base64.b64encode(file.SerializeToString(deterministic=True)).decode()
out["numbers"] = list(database.FindAllExtensionNumbers("shelf.v1.Shelf"))
out["none"] = list(database.FindAllExtensionNumbers("shelf.v1.Book"))


def extending(number):
    """The client's own function does not ask the server."""
    wanted = reflection_pb2.ExtensionRequest(containing_type="shelf.v1.Shelf", extension_number=number)
    request = reflection_pb2.ServerReflectionRequest(file_containing_extension=wanted)
    answer = database._do_one_request(request, key=number).file_descriptor_response
    return descriptor_pb2.FileDescriptorProto.FromString(answer.file_descriptor_proto[0]).name


out["extending"] = [extending(number) for number in out["numbers"]]
out["symbols"] = {}
for symbol in [
    "shelf.v1.Shelf", "shelf.v1.Shelf.books", "shelf.v1.Book.Kind", "shelf.v1.Book.NOVEL", "shelf.v1.label",
    "shelf.v1.Extras.depth", "shelf.v1.Shelves", "shelf.v1.Shelves.Find", "shelf.v1.Book.origin", "google.protobuf.Timestamp",
]:
    out["symbols"][symbol] = database.FindFileContainingSymbol(symbol).name


def missing(body):
    try:
        body()
        return False
    except KeyError:
        return True


out["missing"] = [
    missing(lambda: database.FindFileByName("nowhere.proto")),
    missing(lambda: database.FindFileContainingSymbol("shelf.v1.Nothing")),
    missing(lambda: extending(199)),
    missing(lambda: database.FindAllExtensionNumbers("shelf.v1.Nothing")),
]
print(json.dumps(out))
