# SPDX-License-Identifier: Apache-2.0
"""Calls every kind of method of latch.test.v1.Notes with connectrpc, and prints what came of it as JSON.

usage: connect_client.py URL connect|grpc|grpc-web proto|json gzip|identity [tls=FOLDER]
"""

import json
import sys

from connectrpc.client import ConnectClientSync, ResponseMetadata
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.compression.gzip import GzipCompression
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType
from pyqwest import SyncClient, SyncHTTPTransport

import keys
from notes import SERVICE, Note

url, protocol, codec, compression = sys.argv[1:5]
client = ConnectClientSync(
    url,
    codec=google_protobuf_json_codec() if codec == "json" else google_protobuf_binary_codec(),
    protocol={"connect": ProtocolType.CONNECT, "grpc": ProtocolType.GRPC, "grpc-web": ProtocolType.GRPC_WEB}[protocol],
    send_compression=GzipCompression() if compression == "gzip" else None,
    accept_compression=[GzipCompression()] if compression == "gzip" else [],
    http_client=SyncClient(SyncHTTPTransport(tls_ca_cert=keys.content("authority.pem"))) if keys.folder else None,
)


def method(name, kind, level=IdempotencyLevel.UNKNOWN):
    return MethodInfo(
        name=name, service_name=SERVICE, input=Note, output=Note, idempotency_level=level, stream_type=kind
    )


echo = method("Echo", StreamType.UNARY)
read = method("Read", StreamType.UNARY, IdempotencyLevel.NO_SIDE_EFFECTS)
count = method("Count", StreamType.SERVER_STREAM)
add = method("Add", StreamType.CLIENT_STREAM)
talk = method("Talk", StreamType.BIDI_STREAM)
out = {}


def failing(name, body):
    try:
        body()
        out[name] = "no error"
    except ConnectError as error:
        details = []
        for detail in error.details:
            note = Note.FromString(detail.message_bytes)
            details.append([detail.type_name, note.text, note.number])
        out[name] = [error.code.value, error.message, details]


with ResponseMetadata() as metadata:
    answer = client.execute_unary(
        request=Note(text="grüße", number=7, data=b"\x00\x01" * 2000), method=echo, headers={"x-ask": "one"}, timeout_ms=30000
    )
    out["answer"] = metadata.headers.get("x-answer")
    out["trailers"] = metadata.trailers.get("x-after")
out["echo"] = [answer.text, answer.number, len(answer.data)]
answer = client.execute_unary(request=Note(text="by get?"), method=read, **({"use_get": True} if protocol == "connect" else {}))
out["read"] = answer.text
out["count"] = [n.number for n in client.execute_server_stream(request=Note(number=5, data=b"a" * 3000), method=count)]
notes = [Note(text=str(n), number=n) for n in range(4)]
out["add"] = client.execute_client_stream(request=iter(notes), method=add).number
out["talk"] = [n.number for n in client.execute_bidi_stream(request=iter(notes), method=talk)]
out["time"] = client.execute_unary(request=Note(text="time"), method=echo, timeout_ms=30000).number
failing("fail", lambda: client.execute_unary(request=Note(text="fail 5 nicht gefunden: ö%"), method=echo))
failing("late", lambda: list(client.execute_server_stream(request=Note(text="fail 9 late", number=2), method=count)))
failing("wait", lambda: client.execute_unary(request=Note(text="wait"), method=echo, timeout_ms=500))
failing("secret", lambda: client.execute_unary(request=Note(text="throw"), method=echo))
print(json.dumps(out))
