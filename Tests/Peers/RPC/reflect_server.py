# SPDX-License-Identifier: Apache-2.0
"""grpcio's reflection of the services in a FileDescriptorSet, on a free port of 127.0.0.1, for two minutes at most.

usage: reflect_server.py FILE
"""

import sys
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool
from grpc_reflection.v1alpha import reflection

with open(sys.argv[1], "rb") as file:
    files = descriptor_pb2.FileDescriptorSet.FromString(file.read()).file
pool = descriptor_pool.DescriptorPool()
for file in files:
    pool.Add(file)
names = [f"{file.package}.{service.name}" for file in files for service in file.service]
server = grpc.server(futures.ThreadPoolExecutor(4))
reflection.enable_server_reflection(names, server, pool=pool)
port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(port, flush=True)
server.wait_for_termination(timeout=120)
