#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ports on loopback for servers that begin to listen some time later.

usage: ports.py COUNT
"""

import random
import socket
import sys


def free_ports(count):
    """Different ports below those that Linux gives to connections and to port 0 (ip_local_port_range), so that nothing gets them by
    chance meanwhile."""
    found = []
    for port in random.sample(range(10_000, 32_768), 1000):
        if len(found) == count:
            break
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
    return found


def free_port():
    """One such port."""
    return free_ports(1)[0]


if __name__ == "__main__":
    print(*free_ports(int(sys.argv[1])), sep="\n")
