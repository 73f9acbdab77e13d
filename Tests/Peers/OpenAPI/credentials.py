# SPDX-License-Identifier: Apache-2.0
"""Hooks of schemathesis: the credential of each request.

Some operations sign the caller out, so a session is begun anew when it has ended. Routes of the administration get an API key, but those
that refuse one.
"""
import json
import os
import urllib.error
import urllib.request

import schemathesis

SERVER, EMAIL, PASSWORD, KEY = (os.environ[name] for name in ("API_SERVER", "API_EMAIL", "API_PASSWORD", "API_KEY"))
token = ""


def request(path, content=None, bearer=None):
    body = None if content is None else json.dumps(content).encode()
    sent = urllib.request.Request(SERVER + path, data=body, headers={"Content-Type": "application/json"})
    if bearer:
        sent.add_header("Authorization", f"Bearer {bearer}")
    with urllib.request.urlopen(sent, timeout=20) as response:
        return json.load(response)


def session():
    """Returns an access token that works."""
    global token
    try:
        request("/user/profile", bearer=token)
    except urllib.error.HTTPError:
        token = request("/api/auth/clients/login", {"email": EMAIL, "password": PASSWORD})["accessToken"]
    return token


@schemathesis.auth(refresh_interval=None)
class Credentials:
    def get(self, case, context):
        path = case.operation.path
        return KEY if path.startswith("/api/admin/") and "api-keys" not in path else session()

    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"
