# SPDX-License-Identifier: Apache-2.0
"""Calls latch.test.v1.Notes with grpcio, and prints calls and messages per second as JSON.

usage: grpcio_calls.py PORT
"""

import json
import sys

import grpc

from notes import SERVICE, Note
from timing import rate

channel = grpc.insecure_channel(f"127.0.0.1:{sys.argv[1]}")
kinds = {"request_serializer": Note.SerializeToString, "response_deserializer": Note.FromString}
echo = channel.unary_unary(f"/{SERVICE}/Echo", **kinds)
stream = channel.unary_stream(f"/{SERVICE}/Count", **kinds)
sample = Note(text="0123456789" * 10, number=7)


def unary(count):
    for _ in range(count):
        assert echo(sample).number == 7


def unary64(count):
    for _ in range(count // 64):
        for answer in [echo.future(sample) for _ in range(64)]:
            assert answer.result().number == 7


def streamed(count):
    for _ in range(count // 100):
        assert sum(note.number for note in stream(Note(data=bytes(100), number=100))) == 4950


print(json.dumps({"unary": rate(1000, unary), "unary, 64 at a time": rate(3200, unary64), "stream": rate(5000, streamed)}))
