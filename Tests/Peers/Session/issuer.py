# SPDX-License-Identifier: Apache-2.0
"""An authorization server that gives clients no help: each refresh token works once, and its second use ends the session.

It follows RFC 6749 §6, RFC 8628, RFC 8707 and RFC 9700 §4.14.2. A strict one knows no Idempotency-Key. A keyed one repeats its answer
to a request with the key of the first one.
"""
import json
import threading
import time
import urllib.parse
from email.utils import formatdate

CLIENT, ACCESS_SECONDS = "chaos", 3
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class Rotation:
    """A refresh token that was replaced, the request that did it, and the attempts to tell the client."""

    def __init__(self, family, generation, exchange, key):
        self.family, self.generation, self.key = family, generation, key
        self.answer = None
        self.exchanges = [exchange]


class Family:
    """A sign-in and its refresh tokens, one after the other."""

    def __init__(self, number):
        self.number, self.generation, self.rotations = number, 0, []
        # The exchange with the second use of a token, and the rotation of that token.
        self.reuse = None

    def refresh_token(self):
        return f"r{self.number}.{self.generation}"


class Issuer:
    """The server's state, and its answers."""

    def __init__(self, is_keyed):
        self.is_keyed, self.url = is_keyed, ""
        self.lock = threading.Lock()
        self.families, self.codes, self.access, self.refreshes, self.replays = [], set(), {}, 0, 0
        # The seconds by which its Date is wrong.
        self.date_offset = 0

    @property
    def family(self):
        """The newest sign-in."""
        return self.families[-1] if self.families else None

    def respond(self, method, target, fields, body, exchange):
        """Returns status, fields and content. `exchange` is kept with what it changes."""
        path = urllib.parse.urlsplit(target).path
        form = dict(urllib.parse.parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
        with self.lock:
            if path.startswith("/.well-known/"):
                status, content = 200, self.metadata()
            elif path == "/device":
                status, content = 200, self.begin_device()
            elif path == "/token":
                status, content = self.token(form, fields, exchange)
            elif path == "/revoke":
                status, content = 200, {}
            else:
                status, content = self.resource(fields)
            date = formatdate(time.time() + self.date_offset, usegmt=True)
        more = {"WWW-Authenticate": 'Bearer error="invalid_token"'} if status == 401 else {}
        return status, {"Date": date, "Content-Type": "application/json", "Cache-Control": "no-store"} | more, content

    def metadata(self):
        return {
            "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize", "token_endpoint": f"{self.url}/token",
            "device_authorization_endpoint": f"{self.url}/device", "revocation_endpoint": f"{self.url}/revoke",
            "response_types_supported": ["code"], "grant_types_supported": [DEVICE_GRANT, "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
        }

    def begin_device(self):
        code = f"d{len(self.families)}.{len(self.codes)}"
        self.codes.add(code)
        return {
            "device_code": code, "user_code": "BCDF-GHJK", "verification_uri": f"{self.url}/activate", "expires_in": 600,
            "interval": 1,
        }

    def token(self, form, fields, exchange):
        if form.get("client_id") != CLIENT:
            return 401, {"error": "invalid_client"}
        if form.get("grant_type") == DEVICE_GRANT:
            if form.get("device_code") not in self.codes:
                return 400, {"error": "invalid_grant"}
            self.codes.remove(form["device_code"])
            self.families.append(Family(len(self.families) + 1))
            return 200, self.issue(self.family, None)
        if form.get("grant_type") == "refresh_token":
            return self.refresh(form, fields.get("idempotency-key"), exchange)
        return 400, {"error": "unsupported_grant_type"}

    def refresh(self, form, key, exchange):
        self.refreshes += 1
        number, _, generation = form.get("refresh_token", "").lstrip("r").partition(".")
        if not (number.isdecimal() and generation.isdecimal() and 0 < int(number) <= len(self.families)):
            return 400, {"error": "invalid_grant"}
        family, generation = self.families[int(number) - 1], int(generation)
        if family.reuse or generation > family.generation:
            return 400, {"error": "invalid_grant"}
        exchange.presented = (family, generation)
        if generation < family.generation:
            rotation = family.rotations[generation]
            if self.is_keyed and key and key == rotation.key:
                self.replays += 1
                rotation.exchanges.append(exchange)
                exchange.rotation = rotation
                return 200, rotation.answer
            family.reuse = (exchange, rotation)
            return 400, {"error": "invalid_grant", "error_description": "the refresh token was used before"}
        rotation = Rotation(family, generation, exchange, key)
        exchange.rotation = rotation
        family.rotations.append(rotation)
        family.generation += 1
        rotation.answer = self.issue(family, form.get("resource"))
        return 200, rotation.answer

    def issue(self, family, resource):
        token = f"a{family.number}.{family.generation}" + (f".{urllib.parse.quote(resource, safe='')}" if resource else "")
        self.access[token] = time.monotonic() + ACCESS_SECONDS
        return {
            "access_token": token, "token_type": "Bearer", "expires_in": ACCESS_SECONDS,
            "refresh_token": family.refresh_token(),
        }

    def resource(self, fields):
        token = fields.get("authorization", "").removeprefix("Bearer ")
        if self.access.get(token, 0) < time.monotonic():
            return 401, {"error": "invalid_token"}
        return 200, {"token": token}


def encode(status, fields, content):
    """Returns the bytes of a response."""
    body = json.dumps(content).encode() if isinstance(content, dict) else content
    lines = [f"HTTP/1.1 {status} {'OK' if status == 200 else 'Error'}"]
    lines += [f"{name}: {value}" for name, value in (fields | {"Content-Length": len(body)}).items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
