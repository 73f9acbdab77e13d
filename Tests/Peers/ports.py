#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ports on loopback for servers that begin to listen some time later."""

import random
import socket


def free_port():
    """A port below those that Linux gives to connections and to port 0 (ip_local_port_range): nothing takes it by chance meanwhile."""
    while True:
        port = random.randrange(10_000, 32_768)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


if __name__ == "__main__":
    print(free_port())
