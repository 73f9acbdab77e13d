#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An auth service as AuthPackage's guide describes it, section "Backend Contract", and nothing beyond that.

It prints its port, and ends after two minutes at the latest. What the guide leaves open is what an Express service does that was
written quickly: 400 for a wrong password, no new refresh token, sign-outs that end nothing, tokens in the deep link.
`/microsoft/authorize` stands for Microsoft, and is answered by whoever follows it.
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

SECRET = secrets.token_bytes(32)
LIFETIME = 900
users = {}
states = {}
lock = threading.Lock()


def part(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(claims):
    head = part(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    body = part(json.dumps(claims).encode())
    mac = hmac.new(SECRET, f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{part(mac)}"


def claims_of(token):
    try:
        head, body, mac = token.split(".")
        right = part(hmac.new(SECRET, f"{head}.{body}".encode(), hashlib.sha256).digest())
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return claims if hmac.compare_digest(mac, right) and claims["exp"] > time.time() else None
    except (ValueError, KeyError):
        return None


def access_token(user):
    now = int(time.time())
    return signed({"sub": user["id"], "email": user["email"], "roles": user["roles"], "permissions": [],
                   "jti": secrets.token_hex(8), "iat": now, "exp": now + LIFETIME})


def refresh_token(user):
    now = int(time.time())
    return signed({"sub": user["id"], "use": "refresh", "jti": secrets.token_hex(8), "exp": now + 30 * 86400})


class Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value, fields=()):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, text in fields:
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def redirect(self, url):
        self.send_response(302)
        self.send_header("Location", url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def content(self):
        length = int(self.headers.get("Content-Length") or 0)
        try:
            value = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def do_POST(self):
        body = self.content()
        routes = {
            "/api/auth/clients/login": self.login,
            "/api/auth/refresh-token": self.refresh,
            "/api/auth/logout": lambda _: self.answer(200, {"message": "Logged out"}),
            "/api/auth/forgot-password": lambda _: self.answer(200, {"message": "Reset email sent"}),
            "/api/auth/reset-password": self.reset,
            "/api/clients/register": self.register,
        }
        route = routes.get(urlsplit(self.path).path)
        if route is None:
            return self.answer(404, {"message": "Not found"})
        with lock:
            route(body)

    def login(self, body):
        user = users.get(body.get("email"))
        if user is None:
            return self.answer(400, {"message": "Incorrect email"})
        if user["password"] != body.get("password"):
            return self.answer(400, {"message": "Incorrect password"})
        token = refresh_token(user)
        cookie = f"refreshToken={token}; HttpOnly; Path=/; SameSite=Lax"
        self.answer(200, {"accessToken": access_token(user), "refreshToken": token}, [("Set-Cookie", cookie)])

    def refresh(self, body):
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("refreshToken")
        claims = claims_of(body.get("refreshToken") or (cookie.value if cookie else ""))
        user = claims and claims.get("use") == "refresh" and by_id(claims["sub"])
        if not user:
            return self.answer(401, {"message": "Invalid refresh token"})
        self.answer(200, {"accessToken": access_token(user)})

    def reset(self, body):
        if not isinstance(body.get("token"), str) or not isinstance(body.get("password"), str):
            return self.answer(400, {"message": "token and password are required"})
        self.answer(400, {"message": "Invalid or expired token"})

    def register(self, body):
        email, password = body.get("email"), body.get("password")
        if not isinstance(email, str) or not isinstance(password, str):
            return self.answer(400, {"message": "email and password are required"})
        if email in users:
            return self.answer(409, {"message": "Email already in use"})
        user = {"id": secrets.token_hex(12), "email": email, "password": password, "name": body.get("name"),
                "roles": body.get("roles") or []}
        users[email] = user
        shown = {"id": user["id"], "email": email, "roles": user["roles"]}
        if user["name"] is not None:
            shown["name"] = user["name"]
        self.answer(201, shown)

    def do_GET(self):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        with lock:
            if url.path == "/api/auth/microsoft":
                state = secrets.token_urlsafe(16)
                states[state] = query.get("redirect")
                return self.redirect(f"{self.base}/microsoft/authorize?{urlencode({'state': state})}")
            if url.path == "/microsoft/authorize":
                return self.redirect(
                    f"{self.base}/api/auth/microsoft/callback?{urlencode({'state': query.get('state', ''), 'code': 'c'})}")
            if url.path == "/api/auth/microsoft/callback" and query.get("state") in states:
                redirect = states.pop(query["state"])
                user = users.setdefault("ms@example.com", {
                    "id": secrets.token_hex(12), "email": "ms@example.com", "password": None, "name": "M", "roles": []})
                tokens = {"accessToken": access_token(user), "refreshToken": refresh_token(user)}
                if redirect:
                    return self.redirect(f"{redirect}?{urlencode(tokens)}")
                return self.answer(200, tokens)
        self.answer(404, {"message": "Not found"})

    do_HEAD = do_GET

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"


def by_id(identifier):
    return next((user for user in users.values() if user["id"] == identifier), None)


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    # The test holds this process by its output only, so it must not outlive the one who started it.
    time.sleep(120)


if __name__ == "__main__":
    main()
