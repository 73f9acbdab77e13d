# SPDX-License-Identifier: Apache-2.0
"""Serves page.html, a client that signs in with fetch, at the origin that is registered for it and at another one."""

import http.server
import json
import ssl
import threading
from pathlib import Path

import party

settings = party.read()
page = (Path(__file__).parent / "page.html").read_text()
facts = {"issuer": settings.issuer, "client": settings.client_id}
content = page.replace("FACTS", json.dumps(facts)).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def server(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(settings.certificate, settings.key)
    found = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    found.socket = context.wrap_socket(found.socket, server_side=True, do_handshake_on_connect=False)
    return found


registered, stranger = server(settings.port), server(settings.others["stranger"])
threading.Thread(target=stranger.serve_forever, daemon=True).start()
party.say({})
registered.serve_forever()
