# SPDX-License-Identifier: Apache-2.0
"""What the relying parties of the tests have in common: their settings, and a server of their pages over TLS.

A party is a program with one argument, the file of its settings. It prints a line of JSON once it listens: the versions of the
packages that are tested. Its pages are written here, as the guide of the package says; what they answer is the package's report.
"""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

sys.dont_write_bytecode = True


class Settings:
    """The issuer, and what a party is registered with."""

    def __init__(self, members):
        self.port = members["port"]
        self.issuer = members["issuer"]
        self.client_id = members["client_id"]
        self.client_secret = members.get("client_secret")
        self.certificate, self.key = members["certificate"], members["key"]
        self.folder = members["folder"]
        # Whether to switch on PKCE, which most of them leave out by default.
        self.has_pkce = members["pkce"]
        # The ID and secret of further clients, by name.
        self.others = members.get("others", {})

    @property
    def origin(self):
        return f"https://127.0.0.1:{self.port}"

    @property
    def discovery(self):
        return self.issuer + "/.well-known/openid-configuration"


def read():
    return Settings(json.loads(Path(sys.argv[1]).read_text()))


def chosen(claims):
    """The claims that the tests compare."""
    names = ("sub", "email", "email_verified", "preferred_username", "name")
    return {name: claims[name] for name in names if name in claims}


def serve(application, settings, packages):
    """Serves a WSGI application, and says so."""
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        def log(self, *_):
            pass

    server = make_server(
        "127.0.0.1", settings.port, application, threaded=True, request_handler=Quiet,
        ssl_context=(settings.certificate, settings.key),
    )
    say(versions(*packages))
    server.serve_forever()


def versions(*packages):
    return {name: version(name) for name in packages}


def say(found, more_ports=()):
    """Says what is tested, and on which ports it listens besides its own before it is ready."""
    print(json.dumps({"versions": found, "ports": list(more_ports)}), flush=True)


def write(folder, name, content):
    """Writes a file that only its owner reads, and the folder that it is in; returns its path."""
    path = Path(folder, name)
    path.parent.mkdir(exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(content)
    return str(path)


def folder_for(settings, name):
    path = os.path.join(settings.folder, name)
    os.makedirs(path, exist_ok=True)
    return path
