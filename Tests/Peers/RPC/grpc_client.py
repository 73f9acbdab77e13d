# SPDX-License-Identifier: Apache-2.0
"""Calls every kind of method of latch.test.v1.Notes with grpcio, and prints what came of it as JSON.

usage: grpc_client.py HOST:PORT [gzip] [in-turn] [tls=FOLDER]

With in-turn each message of a conversation waits for the answer to the one before.
"""

import json
import queue
import sys

import grpc
from grpc_status import rpc_status

import keys
from notes import SERVICE, Note

compression = grpc.Compression.Gzip if "gzip" in sys.argv else None
if keys.folder:
    trust = grpc.ssl_channel_credentials(root_certificates=keys.content("authority.pem"))
    channel = grpc.secure_channel(sys.argv[1], trust, compression=compression)
else:
    channel = grpc.insecure_channel(sys.argv[1], compression=compression)


def call(kind, name):
    return getattr(channel, kind)(
        f"/{SERVICE}/{name}", request_serializer=Note.SerializeToString, response_deserializer=Note.FromString
    )


echo, count = call("unary_unary", "Echo"), call("unary_stream", "Count")
add, talk = call("stream_unary", "Add"), call("stream_stream", "Talk")
out = {}


def failing(name, body):
    try:
        body()
        out[name] = "no error"
    except grpc.RpcError as error:
        status = rpc_status.from_call(error)
        details = []
        for detail in status.details if status else []:
            note = Note()
            detail.Unpack(note)
            details.append([note.text, note.number])
        out[name] = [error.code().value[0], error.details(), details]


answer, finished = echo.with_call(
    Note(text="grüße", number=7, data=b"\x00\x01" * 2000), metadata=[("x-ask", "one"), ("x-ask-bin", b"\xff\x00")], timeout=30
)
out["echo"] = [answer.text, answer.number, len(answer.data)]
out["answer"] = dict(finished.initial_metadata()).get("x-answer")
trailers = dict(finished.trailing_metadata())
out["trailers"] = [trailers.get("x-after"), trailers.get("x-after-bin", b"").hex()]
out["count"] = [note.number for note in count(Note(number=5, data=b"a" * 3000), timeout=30)]
out["add"] = add(iter([Note(text=str(n), number=n) for n in range(4)]), timeout=30).number
if "in-turn" in sys.argv:
    messages = queue.Queue()
    answers = talk(iter(messages.get, None), timeout=30)
    out["talk"] = []
    for number in range(4):
        messages.put(Note(number=number))
        out["talk"].append(next(answers).number)
    messages.put(None)
    assert not list(answers)
else:
    out["talk"] = [note.number for note in talk(iter([Note(number=n) for n in range(4)]), timeout=30)]
out["time"] = echo(Note(text="time"), timeout=30).number
failing("fail", lambda: echo(Note(text="fail 5 nicht gefunden: ö%"), timeout=30))
failing("late", lambda: list(count(Note(text="fail 9 late", number=2), timeout=30)))
failing("wait", lambda: echo(Note(text="wait"), timeout=0.5))
failing("secret", lambda: echo(Note(text="throw"), timeout=30))
failing(
    "unknown",
    lambda: channel.unary_unary(f"/{SERVICE}/Nothing", request_serializer=Note.SerializeToString)(Note(), timeout=30),
)
print(json.dumps(out))
