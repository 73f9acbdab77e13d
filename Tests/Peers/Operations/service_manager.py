#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a program as systemd does with Type=notify and a socket unit: with a listening socket as descriptor 3, a socket for
notifications, and a folder of credentials. Prints the port, and each notification as a line of JSON.

usage: service_manager.py FOLDER PROGRAM ARGUMENT…

Signals HUP and TERM are passed on. It ends with the program, and with its status.
"""
import json
import os
import signal
import socket
import subprocess
import sys

folder, command = sys.argv[1], sys.argv[2:]
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
path = os.path.join(folder, "notify")
notify.bind(path)
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", 0))
listener.listen(128)
os.set_blocking(listener.fileno(), True)
print(json.dumps({"port": listener.getsockname()[1]}), flush=True)


def prepare():
    os.dup2(listener.fileno(), 3, inheritable=True)


environment = dict(os.environ, NOTIFY_SOCKET=path, LISTEN_FDS="1", LISTEN_FDNAMES="latch.socket")
environment["CREDENTIALS_DIRECTORY"] = os.path.join(folder, "credentials")
# LISTEN_PID is the program's own number, which only its process knows before it is replaced.
start = 'import os, sys; os.environ["LISTEN_PID"] = str(os.getpid()); os.execv(sys.argv[1], sys.argv[1:])'
process = subprocess.Popen(
    [sys.executable, "-c", start] + command, env=environment, pass_fds=[3] if listener.fileno() == 3 else [],
    close_fds=False, preexec_fn=prepare, stdout=subprocess.DEVNULL)
for number in (signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, lambda number, frame: process.send_signal(number))
notify.settimeout(0.1)
while True:
    try:
        print(json.dumps(notify.recv(4096).decode()), flush=True)
    except socket.timeout:
        if process.poll() is not None:
            sys.exit(process.returncode)
