# SPDX-License-Identifier: Apache-2.0
"""What the OpenID providers of the tests have in common: their settings, and child processes that end with their parent."""

import ctypes
import dataclasses
import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
SCOPES = ["openid", "profile", "email", "offline_access"]
_PR_SET_PDEATHSIG = 1


@dataclasses.dataclass
class Settings:
    """A provider to start: its port of 127.0.0.1, its temporary folder, its user and clients."""

    port: int
    folder: str
    redirects: list
    post_logouts: list
    user: dict = dataclasses.field(
        default_factory=lambda: {
            "name": "alice",
            "password": secrets.token_urlsafe(18),
            "email": "alice@example.org",
        }
    )
    public: dict = dataclasses.field(default_factory=lambda: {"client_id": "latch-public"})
    confidential: dict = dataclasses.field(
        default_factory=lambda: {"client_id": "latch-confidential", "client_secret": secrets.token_urlsafe(32)}
    )

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def path(self, name):
        return os.path.join(self.folder, name)

    @classmethod
    def read(cls, path):
        return cls(**json.loads(Path(path).read_text()))

    def write(self):
        path = self.path("settings.json")
        Path(path).write_text(json.dumps(dataclasses.asdict(self)))
        return path


@dataclasses.dataclass
class Provider:
    """How a provider is started, and what the test hears about it."""

    version: str
    issuer: str
    # The command, its additional environment, and the address that answers with 200 once it serves.
    command: list
    environment: dict
    ready: str
    discovery: str = None
    metadata: dict = None
    quirks: list = dataclasses.field(default_factory=list)
    # A command that runs once the provider answers: some keep their clients in a database that only they can write.
    after: object = None


def packages(name="openid"):
    """The folder of a set of packages from PyPI, which is installed at the first call."""
    found = subprocess.run([ROOT / "Scripts/fetch-peers", name], stdout=subprocess.PIPE, check=True, text=True)
    return found.stdout.strip()


def use_packages():
    """Lets this program import the packages from PyPI."""
    sys.path.insert(0, packages())


def end_with_parent():
    """Lets the kernel end this process together with its parent."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def start(command, environment=(), **options):
    """Starts a child process in a process group of its own, which the kernel ends together with this one."""
    return subprocess.Popen(
        command,
        env={**os.environ, **dict(environment)},
        start_new_session=True,
        preexec_fn=end_with_parent,
        **options,
    )


def end(child):
    """Ends a child process and everything that it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            break
        try:
            child.wait(3)
        except subprocess.TimeoutExpired:
            continue


def serve(application, settings):
    """Serves a WSGI application with threads, without a line for each request."""
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log(self, *_):
            pass

    make_server("127.0.0.1", settings.port, application, threaded=True, request_handler=Quiet).serve_forever()
