# SPDX-License-Identifier: Apache-2.0
"""latch.test.v1.Notes by connectrpc under hypercorn: Connect, gRPC-Web and gRPC on one port of 127.0.0.1.

usage: connect_server.py [tls=FOLDER]
"""

import asyncio
import socket

from connectrpc.code import Code
from connectrpc.compat import google_protobuf_codecs
from connectrpc.errors import ConnectError, ErrorDetail
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.server import ConnectASGIApplication, Endpoint
from hypercorn.asyncio import serve
from hypercorn.config import Config
from protobuf.wkt import Any

import keys
from notes import SERVICE, Note, failure

CODES = [
    None, Code.CANCELED, Code.UNKNOWN, Code.INVALID_ARGUMENT, Code.DEADLINE_EXCEEDED, Code.NOT_FOUND,
    Code.ALREADY_EXISTS, Code.PERMISSION_DENIED, Code.RESOURCE_EXHAUSTED, Code.FAILED_PRECONDITION, Code.ABORTED,
    Code.OUT_OF_RANGE, Code.UNIMPLEMENTED, Code.INTERNAL, Code.UNAVAILABLE, Code.DATA_LOSS, Code.UNAUTHENTICATED,
]


def answer_metadata(ctx):
    asked = ctx.request_headers
    if "x-ask" in asked:
        ctx.response_headers["x-answer"] = asked["x-ask"]
    ctx.response_trailers["x-after"] = asked.get("x-ask", "none")
    if "x-ask-bin" in asked:
        ctx.response_trailers["x-after-bin"] = asked["x-ask-bin"]


def fail_as_asked(note):
    asked = failure(note)
    if asked is None:
        return
    number, text = asked
    value = Note(text="detail", number=number).SerializeToString()
    detail = ErrorDetail(Any(type_url="type.googleapis.com/latch.test.v1.Note", value=value))
    raise ConnectError(CODES[number], text, [detail])


class Notes:
    async def echo(self, note, ctx):
        answer_metadata(ctx)
        fail_as_asked(note)
        if note.text == "wait":
            await asyncio.sleep(60)
        if note.text == "time":
            return Note(number=int((ctx.timeout_ms or -1000) / 1000))
        if note.text == "method":
            return Note(text=ctx.http_method)
        return note

    async def count(self, note, ctx):
        answer_metadata(ctx)
        for number in range(note.number):
            yield Note(number=number, data=note.data)
        fail_as_asked(note)
        while note.text == "forever":
            await asyncio.sleep(0.01)
            yield Note(text="more")

    async def add(self, notes, ctx):
        answer_metadata(ctx)
        total, texts = 0, []
        async for note in notes:
            fail_as_asked(note)
            total += note.number
            texts.append(note.text)
        return Note(number=total, text=",".join(texts))

    async def talk(self, notes, ctx):
        answer_metadata(ctx)
        async for note in notes:
            fail_as_asked(note)
            yield Note(text=note.text, number=note.number + 1)


class Application(ConnectASGIApplication):
    @property
    def path(self):
        return f"/{SERVICE}"


def endpoints(service):
    def method(name, kind, level=IdempotencyLevel.UNKNOWN):
        return MethodInfo(
            name=name, service_name=SERVICE, input=Note, output=Note, idempotency_level=level, stream_type=kind
        )

    safe = IdempotencyLevel.NO_SIDE_EFFECTS
    made = [
        Endpoint.unary(method("Echo", StreamType.UNARY), service.echo),
        Endpoint.unary(method("Read", StreamType.UNARY, safe), service.echo),
        Endpoint.server_stream(method("Count", StreamType.SERVER_STREAM), service.count),
        Endpoint.client_stream(method("Add", StreamType.CLIENT_STREAM), service.add),
        Endpoint.bidi_stream(method("Talk", StreamType.BIDI_STREAM), service.talk),
    ]
    return {f"/{SERVICE}/{endpoint.method.name}": endpoint for endpoint in made}


async def main():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    listener.setblocking(False)
    config = Config()
    config.bind = [f"fd://{listener.fileno()}"]
    if keys.folder:
        config.certfile, config.keyfile = keys.path("server.pem"), keys.path("server.key")
    config.loglevel = "ERROR"
    application = Application(service=Notes(), endpoints=endpoints, codecs=google_protobuf_codecs())
    print(listener.getsockname()[1], flush=True)
    await serve(application, config, shutdown_trigger=lambda: asyncio.sleep(120))


asyncio.run(main())
