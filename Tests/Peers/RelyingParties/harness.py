# SPDX-License-Identifier: Apache-2.0
"""What a check of relying parties stands on: its temporary folder and processes, a `latch serve` with an account, a browser."""

import hashlib
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

import peer

ADDRESS, NAME, PASSWORD = "ada@example.com", "Ada Lövelace", "a horse walks into a library"
# A page is the last one after a time that a busy machine does not need.
ACCOUNT = {"provider": "latch", "user": ADDRESS, "password": PASSWORD, "timeout": 60, "idle": 15}
# Seconds for what takes a moment: a start, a page.
LIMIT = 60


class Failed(Exception):
    """What went wrong, in words."""


def await_port(port, child, what):
    """Waits until a child process listens."""
    limit = time.monotonic() + LIMIT
    while time.monotonic() < limit:
        if child.poll() is not None:
            raise Failed(f"{what} has ended with {child.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise Failed(f"{what} does not listen after {LIMIT} seconds")


class Folder:
    """The temporary files, the processes and the certificate of a run."""

    def __init__(self):
        prefix = "latch-parties-"
        # What a run has left that was killed.
        for path in Path(tempfile.gettempdir()).glob(prefix + "*"):
            if not Path("/proc", path.name.removeprefix(prefix).partition("-")[0]).exists():
                shutil.rmtree(path, ignore_errors=True)
        self.path = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-"))
        # Apache reads its pages as a user of its own; what is secret has the mode 600.
        self.path.chmod(0o711)
        self.children = []
        self.certificate, self.key = self.path / "certificate.pem", self.path / "key.pem"
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", self.key, "-out", self.certificate],
            stderr=subprocess.PIPE, text=True, check=False,
        )
        if made.returncode:
            raise Failed(f"openssl: {made.stderr}")
        self.trust = {name: str(self.certificate) for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")}

    def log(self, name):
        return self.path / f"{name}.log"

    def start(self, name, command, environment=(), **options):
        with open(self.log(name), "ab") as log:
            child = peer.start(command, environment, stdin=subprocess.DEVNULL, stderr=log, **options)
        self.children.append(child)
        return child

    def remove(self):
        for child in reversed(self.children):
            peer.end(child)
        shutil.rmtree(self.path, ignore_errors=True)


class Server:
    """A `latch serve` with an account whose address is verified."""

    def __init__(self, folder, latch, name, port, issuer, clients, **settings):
        self.folder, self.name, self.port, self.issuer = folder, name, port, issuer
        self.mails = folder.path / f"{name}-mails"
        self.mails.mkdir()
        self.is_secure = "tls_certificate" in settings
        # What a test has no time for: real passwords' hashes.
        settings |= {
            "listen": f"127.0.0.1:{port}", "store": f"sqlite:{folder.path}/{name}.sqlite", "issuer": issuer,
            "mail_directory": str(self.mails), "argon2_memory_kib": 64, "argon2_passes": 1, "scopes": "notes:read notes:write",
            "registration": "open",
            "client_secrets": " ".join(
                f"{client['id']}={hashlib.sha256(client.pop('secret').encode()).hexdigest()}"
                for client in clients if "secret" in client
            ),
        }
        path = folder.path / f"{name}.toml"
        path.touch(mode=0o600)
        path.write_text(self.text(settings) + "".join("[[clients]]\n" + self.text(client) for client in clients))
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("LATCH_", "OTEL_"))}
        self.child = folder.start(
            name, ["env", "-i", *(f"{key}={value}" for key, value in kept.items()), latch, "serve", "--config", path],
            stdout=subprocess.DEVNULL,
        )

    @staticmethod
    def text(members):
        return "".join(f"{name} = {json.dumps(value)}\n" for name, value in members.items())

    def call(self, path, content, form=None, fields=()):
        """Posts JSON, or a form; returns the answer."""
        if self.is_secure:
            trusted = ssl.create_default_context(cafile=self.folder.certificate)
            connection = http.client.HTTPSConnection("localhost", self.port, timeout=LIMIT, context=trusted)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        kind = "application/x-www-form-urlencoded" if form else "application/json"
        body = urlencode(form) if form else json.dumps(content)
        connection.request("POST", path, body.encode(), {"Content-Type": kind, **dict(fields)})
        response = connection.getresponse()
        answer = response.read().decode()
        if response.status >= 300:
            raise Failed(f"{path} of {self.name}: {response.status} {answer}")
        return json.loads(answer) if answer else None

    def sign_up(self):
        """Creates the account, and proves its address by the link in the email."""
        await_port(self.port, self.child, self.name)
        self.call("/api/clients/register", {"email": ADDRESS, "password": PASSWORD, "name": NAME})
        limit = time.monotonic() + LIMIT
        while time.monotonic() < limit:
            for mail in self.mails.iterdir():
                found = re.search(r"/verify\?token=3D([\w.=\r\n-]+)|/verify\?token=([\w.-]+)", mail.read_text())
                if found:
                    token = (found[1] or found[2]).replace("=\r\n", "").replace("=\n", "").strip()
                    self.call("/api/auth/verify-email", {"token": token, "password": PASSWORD})
                    return
            time.sleep(0.05)
        raise Failed(f"{self.name} has sent no email")


class Browser:
    """The driver of Chromium, which answers each line with one."""

    def __init__(self, folder):
        self.folder = folder
        with open(folder.log("browser"), "ab") as log:
            self.child = peer.start(
                [peer.HERE / "browser"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
        folder.children.append(self.child)

    def ask(self, **request):
        self.child.stdin.write(json.dumps(ACCOUNT | request) + "\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            raise Failed(f"the browser has ended: {self.folder.log('browser').read_text()[-2000:]}")
        return json.loads(line)
