# SPDX-License-Identifier: Apache-2.0
"""The way between clients and an issuer: it delays, cuts and reorders, and knows what has arrived at which process."""
import fcntl
import os
import random
import socket
import struct
import threading
import time
from pathlib import Path

import issuer as issuers

SIOCOUTQ, TCP_CLOSE = 0x5411, 7
# The longest wait for the system of a client to acknowledge an answer.
ACKNOWLEDGE_SECONDS = 10
HTML = {"Content-Type": "text/html"}


class Exchange:
    """A request, and what became of its answer.

    `outcome` is None until the answer was delivered or lost. `delivered` means that each byte was acknowledged. `gone` means that the
    client had closed its connection. Everything else names what the network did to the answer.
    """

    def __init__(self, process):
        self.process, self.sent_at = process, time.monotonic()
        self.presented = self.rotation = self.outcome = self.ended_at = None

    def end(self, outcome):
        self.outcome, self.ended_at = outcome, time.monotonic()


class Plan:
    """What happens to one exchange with the token endpoint."""

    def __init__(self, draw, is_long):
        self.before = self.after = 0
        kind = draw.choices(
            ("none", "slow request", "slow answer", "late answer", "in pieces", "cut before", "cut without answer",
             "closed without answer", "cut within the answer", "gateway timeout", "unavailable"),
            (46, 9, 13, 6, 6, 4, 4, 4, 4, 2, 2))[0]
        self.kind = kind
        if kind == "slow request":
            self.before = draw.uniform(0, 1.5)
        elif kind == "slow answer":
            self.after = draw.uniform(0, 1.5)
        elif kind == "late answer":
            # Longer than a caller with a valid token waits; rarely also longer than the time limit of a refresh.
            self.after = draw.uniform(61, 70) if is_long and draw.random() < 0.1 else draw.uniform(5.2, 8)
        elif kind != "none":
            self.after = draw.uniform(0, 0.3)
        self.pieces, self.part = draw.randint(2, 9), draw.random()


CALM = Plan(random.Random(0), False)
CALM.kind, CALM.before, CALM.after = "none", 0, 0


class Network:
    """A listener in front of an issuer, with a thread for each connection."""

    def __init__(self, issuer, seed, is_long, find_process):
        self.issuer, self.find_process = issuer, find_process
        self.draw, self.is_long = random.Random(f"{seed} network"), is_long
        self.lock, self.is_calm, self.plans = threading.Lock(), True, {}
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = issuer.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, address = self.listener.accept()
            except OSError:
                return
            process = self.find_process(address[1])
            threading.Thread(target=self.serve, args=(connection, process), daemon=True).start()

    def close(self):
        self.listener.close()

    def next_plan(self):
        """The k-th exchange outside of calm has the k-th plan of the seed."""
        with self.lock:
            if self.is_calm:
                return CALM
            plan = Plan(self.draw, self.is_long)
            self.plans[plan.kind] = self.plans.get(plan.kind, 0) + 1
            return plan

    def serve(self, connection, process):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with connection, connection.makefile("rb") as reader:
                while self.exchange(connection, reader, process):
                    pass
        except (OSError, ValueError):
            # A client may close its connection at any time.
            pass

    def exchange(self, connection, reader, process):
        """Answers one request; returns whether the connection goes on."""
        line = reader.readline()
        if not line.endswith(b"\r\n"):
            return False
        method, target, _ = line.decode("latin-1").split(" ", 2)
        fields = {}
        while (line := reader.readline().decode("latin-1").strip()):
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        length = int(fields.get("content-length", "0"))
        body = reader.read(length)
        if len(body) < length:
            return False
        exchange = Exchange(process)
        if target.startswith("/token"):
            plan = self.next_plan()
            if process:
                process.asked_at = process.asked_at or exchange.sent_at
        else:
            plan = CALM
        time.sleep(plan.before)
        if plan.kind == "cut before":
            exchange.end(plan.kind)
            reset(connection)
            return False
        if plan.kind == "unavailable":
            exchange.end(plan.kind)
            connection.sendall(issuers.encode(503, HTML | {"Retry-After": "1"}, b"<html>busy</html>"))
            return True
        # What was sent arrives, whether its sender still lives or not.
        answer = issuers.encode(*self.issuer.respond(method, target, fields, body, exchange))
        time.sleep(plan.after)
        return deliver(connection, answer, plan, exchange)


def deliver(connection, answer, plan, exchange):
    """Sends an answer as planned; returns whether the connection goes on."""
    if plan.kind == "gateway timeout":
        exchange.end(plan.kind)
        connection.sendall(issuers.encode(504, HTML, b"<html>gateway timeout</html>"))
        return True
    if plan.kind == "cut without answer":
        exchange.end(plan.kind)
        reset(connection)
        return False
    if plan.kind == "closed without answer":
        # On a connection that was used before, HTTP clients repeat the request on another one.
        exchange.end(plan.kind)
        return False
    try:
        if plan.kind == "cut within the answer":
            connection.sendall(answer[:1 + int(plan.part * (len(answer) - 2))])
            exchange.end(plan.kind)
            reset(connection)
            return False
        step = len(answer) // plan.pieces + 1 if plan.kind == "in pieces" else len(answer)
        for start in range(0, len(answer), step):
            connection.sendall(answer[start:start + step])
            time.sleep(0.02 if step < len(answer) else 0)
        exchange.end("delivered" if is_acknowledged(connection) else "gone")
    except OSError:
        exchange.end("gone")
        raise
    return exchange.outcome == "delivered"


def is_acknowledged(connection):
    """Waits until the client's system has each byte; false if the connection ends before."""
    limit = time.monotonic() + ACKNOWLEDGE_SECONDS
    while time.monotonic() < limit:
        waiting = struct.unpack("i", fcntl.ioctl(connection, SIOCOUTQ, b"\0\0\0\0"))[0]
        state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        if state == TCP_CLOSE:
            return False
        if waiting == 0:
            return True
        time.sleep(0.001)
    return False


def reset(connection):
    """Ends a connection as a broken network does, without its regular end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    # A file over the socket would keep it open.
    connection.shutdown(socket.SHUT_RD)
    os.close(connection.detach())


def process_of_port(port, processes):
    """Returns which of the processes has the local port; None if it has ended."""
    wanted, inode = f"{port:04X}", None
    for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        columns = line.split()
        if columns[1] == f"0100007F:{wanted}":
            inode = columns[9]
            break
    if inode is None:
        return None
    for process in processes:
        folder = f"/proc/{process.number}/fd"
        try:
            for name in os.listdir(folder):
                if os.readlink(f"{folder}/{name}") == f"socket:[{inode}]":
                    return process
        except OSError:
            continue
    return None
