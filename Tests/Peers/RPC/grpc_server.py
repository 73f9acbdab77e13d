# SPDX-License-Identifier: Apache-2.0
"""latch.test.v1.Notes by grpcio on a free port of 127.0.0.1, for two minutes at most.

usage: grpc_server.py [gzip] [tls=FOLDER|mutual=FOLDER]
"""

import sys
import time
from concurrent import futures

import grpc
from google.protobuf import any_pb2
from google.rpc import status_pb2
from grpc_status import rpc_status

import keys
from notes import SERVICE, Note, failure


def answer_metadata(context):
    asked = dict(context.invocation_metadata())
    if "x-ask" in asked:
        context.send_initial_metadata([("x-answer", asked["x-ask"])])
    trailers = [("x-after", asked.get("x-ask", "none"))]
    if "x-ask-bin" in asked:
        trailers.append(("x-after-bin", asked["x-ask-bin"]))
    context.set_trailing_metadata(trailers)


def fail_as_asked(note, context):
    asked = failure(note)
    if asked is None:
        return
    number, text = asked
    detail = any_pb2.Any()
    detail.Pack(Note(text="detail", number=number))
    context.abort_with_status(
        rpc_status.to_status(status_pb2.Status(code=number, message=text, details=[detail]))
    )


def echo(note, context):
    answer_metadata(context)
    fail_as_asked(note, context)
    if note.text == "wait":
        while context.is_active():
            time.sleep(0.01)
    if note.text == "peer":
        names = context.auth_context().get("x509_common_name", [b"nobody"])
        return Note(text=names[0].decode())
    if note.text == "time":
        return Note(number=int(context.time_remaining() or -1))
    return note


def count(note, context):
    answer_metadata(context)
    for number in range(note.number):
        yield Note(number=number, data=note.data)
    fail_as_asked(note, context)
    while note.text == "forever" and context.is_active():
        yield Note(text="more")


def add(notes, context):
    answer_metadata(context)
    total, texts = 0, []
    for note in notes:
        fail_as_asked(note, context)
        total += note.number
        texts.append(note.text)
    return Note(number=total, text=",".join(texts))


def talk(notes, context):
    answer_metadata(context)
    for note in notes:
        fail_as_asked(note, context)
        yield Note(text=note.text, number=note.number + 1)


def methods():
    def made(kind, body):
        return kind(body, request_deserializer=Note.FromString, response_serializer=Note.SerializeToString)

    return {
        "Echo": made(grpc.unary_unary_rpc_method_handler, echo),
        "Read": made(grpc.unary_unary_rpc_method_handler, echo),
        "Count": made(grpc.unary_stream_rpc_method_handler, count),
        "Add": made(grpc.stream_unary_rpc_method_handler, add),
        "Talk": made(grpc.stream_stream_rpc_method_handler, talk),
    }


compression = grpc.Compression.Gzip if "gzip" in sys.argv else grpc.Compression.NoCompression
server = grpc.server(futures.ThreadPoolExecutor(8), compression=compression)
server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, methods())])
if keys.folder:
    credentials = grpc.ssl_server_credentials(
        [(keys.content("server.key"), keys.content("server.pem"))],
        root_certificates=keys.content("authority.pem") if keys.is_mutual else None,
        require_client_auth=keys.is_mutual,
    )
    port = server.add_secure_port("127.0.0.1:0", credentials)
else:
    port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(port, flush=True)
# The test holds this process by its output only, so it must not outlive the one who started it.
server.wait_for_termination(timeout=120)
