#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a program as systemd does with Type=notify and a socket unit: with listening sockets from descriptor 3 on, a socket for
notifications, and a folder of credentials. Prints the ports, and each notification as a line of JSON.

usage: service_manager.py [--sockets NUMBER] FOLDER PROGRAM ARGUMENT…

Signals HUP and TERM are passed on. It ends with the program, and with its status.
"""
import json
import os
import signal
import socket
import subprocess
import sys

arguments, count = sys.argv[1:], 1
if arguments[0] == "--sockets":
    count, arguments = int(arguments[1]), arguments[2:]
folder, command = arguments[0], arguments[1:]
# Nothing else may have the numbers that the program expects its sockets at.
for number in range(3, 3 + count):
    os.dup2(0, number, inheritable=False)
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
path = os.path.join(folder, "notify")
notify.bind(path)
listeners = [socket.socket() for _ in range(count)]
for listener in listeners:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    os.set_blocking(listener.fileno(), True)
ports = [listener.getsockname()[1] for listener in listeners]
print(json.dumps({"port": ports[0], "ports": ports}), flush=True)
for index, listener in enumerate(listeners):
    os.dup2(listener.fileno(), 3 + index, inheritable=True)
environment = dict(os.environ, NOTIFY_SOCKET=path, LISTEN_FDS=str(count))
environment["LISTEN_FDNAMES"] = ":".join(["latch.socket"] * count)
environment["CREDENTIALS_DIRECTORY"] = os.path.join(folder, "credentials")
# LISTEN_PID is the program's own number, which only its process knows before it is replaced.
start = 'import os, sys; os.environ["LISTEN_PID"] = str(os.getpid()); os.execv(sys.argv[1], sys.argv[1:])'
process = subprocess.Popen(
    [sys.executable, "-c", start] + command, env=environment, close_fds=False, stdout=subprocess.DEVNULL)
for number in (signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, lambda number, frame: process.send_signal(number))
notify.settimeout(0.1)
is_over = False
while True:
    try:
        print(json.dumps(notify.recv(4096).decode()), flush=True)
    except TimeoutError:
        if is_over:
            sys.exit(process.returncode)
        # What it has said last may have come since.
        is_over = process.poll() is not None
