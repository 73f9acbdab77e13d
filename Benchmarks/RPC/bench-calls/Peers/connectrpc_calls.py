# SPDX-License-Identifier: Apache-2.0
"""Calls latch.test.v1.Notes with connectrpc, and prints calls and messages per second as JSON.

usage: connectrpc_calls.py PORT
"""

import json
import sys

from connectrpc.client import ConnectClientSync
from connectrpc.compat import google_protobuf_binary_codec
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType

from notes import SERVICE, Note
from timing import rate

client = ConnectClientSync(
    f"http://127.0.0.1:{sys.argv[1]}", codec=google_protobuf_binary_codec(), accept_compression=[]
)


def method(name, kind):
    return MethodInfo(
        name=name, service_name=SERVICE, input=Note, output=Note,
        idempotency_level=IdempotencyLevel.UNKNOWN, stream_type=kind,
    )


echo, count_method = method("Echo", StreamType.UNARY), method("Count", StreamType.SERVER_STREAM)
sample = Note(text="0123456789" * 10, number=7)


def unary(count):
    for _ in range(count):
        assert client.execute_unary(request=sample, method=echo).number == 7


def streamed(count):
    for _ in range(count // 100):
        notes = client.execute_server_stream(request=Note(data=bytes(100), number=100), method=count_method)
        assert sum(note.number for note in notes) == 4950


print(json.dumps({"unary": rate(300, unary), "stream": rate(3000, streamed)}))
