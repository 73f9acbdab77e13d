# SPDX-License-Identifier: Apache-2.0
"""Answers calls over HTTP/2 on a free port of 127.0.0.1 before it has their messages, for two minutes at most.

The path's last segment says what goes out in one piece with the reset of the stream:
Only: a head that ends the call.  Trailers: a head, then trailers.
Later: a head immediately; trailers when the first message has come.

usage: hasty_server.py [tls=FOLDER]
"""

import socket
import ssl
import threading

import h2.config
import h2.connection
import h2.events
import h2.exceptions

import keys

HEAD = [(":status", "200"), ("content-type", "application/grpc+proto")]
END = [("grpc-status", "9"), ("grpc-message", "enough")]


def begin(connection, stream, path, is_whole):
    """Answers a head, and resets the stream where its request is not whole; true where that is all."""
    if path.endswith("Only"):
        connection.send_headers(stream, HEAD + END, end_stream=True)
    elif path.endswith("Trailers"):
        connection.send_headers(stream, HEAD)
        connection.send_headers(stream, END, end_stream=True)
    else:
        connection.send_headers(stream, HEAD)
        return False
    if not is_whole:
        connection.reset_stream(stream, 0)
    return True


def serve(client):
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    connection.initiate_connection()
    client.sendall(connection.data_to_send())
    paths = {}
    while received := client.recv(65536):
        try:
            events = connection.receive_data(received)
        except h2.exceptions.ProtocolError:
            # Messages of a stream that is over; a close now could take the answer from the client.
            continue
        ended = {event.stream_id for event in events if isinstance(event, h2.events.StreamEnded)}
        for event in events:
            if isinstance(event, h2.events.RequestReceived):
                paths[event.stream_id] = dict(event.headers)[b":path"].decode()
                if begin(connection, event.stream_id, paths[event.stream_id], event.stream_id in ended):
                    paths[event.stream_id] = "Over"
            elif isinstance(event, h2.events.DataReceived) and paths[event.stream_id].endswith("Later"):
                connection.send_headers(event.stream_id, END, end_stream=True)
                connection.reset_stream(event.stream_id, 0)
        client.sendall(connection.data_to_send())


def attend(client):
    try:
        if keys.folder:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(keys.path("server.pem"), keys.path("server.key"))
            context.set_alpn_protocols(["h2"])
            client = context.wrap_socket(client, server_side=True)
        serve(client)
    except OSError:
        pass
    client.close()


listener = socket.create_server(("127.0.0.1", 0))
listener.settimeout(120)
print(listener.getsockname()[1], flush=True)
try:
    while True:
        threading.Thread(target=attend, args=[listener.accept()[0]], daemon=True).start()
except TimeoutError:
    pass
