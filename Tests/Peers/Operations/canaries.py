#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends a server requests of every kind with secrets in them, and searches all of its outputs for each secret: standard output
and error, what a collector gets, /metrics, the audit log, /proc/PID/cmdline and the answers with an error.

usage: canaries.py LATCH FOLDER FORMAT     (FORMAT: text, json, logfmt or off, the setting access_log)
"""
import base64
import email
import email.policy
import hashlib
import hmac
import http.client
import http.server
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))
from ports import free_port

latch, folder, form = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
mails, store = folder / "mails", f"sqlite:{folder}/latch.sqlite"
mails.mkdir()
exported, errors, secrets = [], [], {}


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        exported.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def secret(name, value):
    """Remembers a secret, which has to be long enough not to be somewhere by chance."""
    assert isinstance(value, str) and len(value) >= 6, (name, "is missing")
    secrets[name] = value
    return value


collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
threading.Thread(target=collector.serve_forever, daemon=True).start()
port = free_port()
client_secret = secret("client secret", "canary-client-secret-0123456789abcdef")
environment = {name: value for name, value in os.environ.items() if not name.startswith(("LATCH_", "OTEL_"))} | {
    "LATCH_LISTEN": f"127.0.0.1:{port}", "LATCH_ISSUER": f"http://localhost:{port}", "LATCH_STORE": store,
    "LATCH_MAIL_DIRECTORY": str(mails), "LATCH_ACCESS_LOG": form, "LATCH_SLOW_REQUEST_MS": "1", "LATCH_SLOW_QUERY_MS": "1",
    "LATCH_ARGON2_MEMORY_KIB": "64", "LATCH_ARGON2_PASSES": "1", "LATCH_RECENT_AUTHENTICATION": "900",
    "LATCH_TOKEN_PEPPER": secret("pepper", "canary-pepper-0123456789abcdef0123456789"),
    "LATCH_STORE_KEY": secret("store key", "c0ffee" * 10 + "c0de"),
    "LATCH_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
    "LATCH_OTLP_HEADERS": "x-key=" + secret("collector's key", "canary-collector-key"),
    "LATCH_CLIENTS": "reports;confidential;grants=password,refresh_token tv;grants=urn:ietf:params:oauth:grant-type:device_code"
    " notes;grants=authorization_code,refresh_token;redirects=https://notes.example.com/callback;trusted",
    "LATCH_CLIENT_SECRETS": "reports=" + hashlib.sha256(client_secret.encode()).hexdigest(),
    "LATCH_UPSTREAMS": "staff;client_id=ID;issuer=https://sso.invalid",
    "LATCH_UPSTREAM_SECRETS": "staff=" + secret("upstream secret", "canary-upstream-secret"),
    "LATCH_SIGN_IN_REDIRECTS": "notes://auth/callback",
}
output, log = open(folder / "output", "wb"), open(folder / "log", "wb")
process = subprocess.Popen([latch, "serve"], env=environment, stdout=output, stderr=log)


def send(method, path, content=None, fields={}, form=False):
    """Sends a request, and returns status, fields and content; errors are outputs too."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    fields = {"Host": f"localhost:{port}"} | fields
    if content is not None:
        fields["Content-Type"] = "application/x-www-form-urlencoded" if form else "application/json"
        content = urllib.parse.urlencode(content) if form else json.dumps(content)
    connection.request(method, path, content, fields)
    response = connection.getresponse()
    body = response.read()
    if response.status >= 400:
        errors.append(body)
    return response.status, response.headers, body


def call(path, content, fields={}, form=False, expecting=(200, 201)):
    status, _, body = send("POST", path, content, fields, form)
    assert status in expecting, (path, status, body)
    return json.loads(body) if body else {}


def started():
    for _ in range(1200):
        try:
            if send("GET", "/readyz")[0] == 200:
                return True
        except OSError:
            assert process.poll() is None, "the server has ended"
        time.sleep(0.05)


def mailed(recipient, purpose):
    """The token of a mail to an address, whose link has the path of a purpose."""
    for _ in range(600):
        for file in sorted(mails.glob("*.eml"), reverse=True):
            message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            text = message.get_body(("plain",)).get_content() if message["To"] and recipient in message["To"] else ""
            found = re.search(purpose + r"[?#](?:\w+=)?([A-Za-z0-9._~-]{20,})", text)
            if found:
                return found.group(1)
        time.sleep(0.05)
    sys.exit(f"no mail with {purpose} for {recipient}")


def one_time_code(key, step=0):
    key = base64.b32decode(key + "=" * (-len(key) % 8))
    digest = hmac.digest(key, struct.pack(">Q", int(time.time()) // 30 + step), "sha1")
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 1000000:06}"


def rpc(name, content, access, expecting=(200,)):
    return call(f"/userservice.v1.UserService/{name}", content, {"Authorization": "Bearer " + access}, expecting=expecting)


def tokens(name, answer):
    """Remembers the tokens of an answer."""
    access = secret(f"access token of {name}", answer.get("accessToken") or answer.get("access_token"))
    refresh = answer.get("refreshToken") or answer.get("refresh_token")
    return access, secret(f"refresh token of {name}", refresh) if refresh else None


try:
    assert started(), "the server is not ready"
    address = "canary-address@example.com"
    password = secret("password", "canary horse walks into a library")
    wrong = secret("wrong password", "canary donkey walks into a bar")
    # A writer that waits for another one makes a slow statement, however fast the disk is.
    writer = sqlite3.connect(folder / "latch.sqlite", isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN IMMEDIATE")
    threading.Timer(1, writer.execute, ["COMMIT"]).start()
    call("/api/clients/register", {"email": address, "password": password})
    link = secret("verification link", mailed(address, "/verify"))
    call("/api/auth/verify-email", {"token": link, "password": password})
    send("GET", "/verify?token=" + secret("guessed link", "canary-guessed-link"))
    login = {"email": address, "password": password}
    call("/api/auth/clients/login", login | {"password": wrong}, expecting=(401,))
    status, fields, body = send("POST", "/api/auth/clients/login?q=" + secret("query", "canary-query"), login)
    access, refresh = tokens("login", json.loads(body))
    secret("cookie", re.search(r"=([^;]+)", fields["Set-Cookie"]).group(1))
    access, refresh = tokens("refresh", call("/api/auth/refresh-token", {"refreshToken": refresh}))
    call("/api/auth/refresh-token", {"refreshToken": refresh + "canary"}, expecting=(401,))
    send("POST", "/api/auth/refresh-token", {}, {"Cookie": "refresh_token=" + secret("forged cookie", "canary-forged-cookie")})
    send("GET", "/user/profile", fields={"Authorization": "Bearer " + secret("forged token", "canary.forged.token")})
    send("GET", "/user/profile", fields={"Authorization": "Bearer " + access})

    # The token endpoint, with a client that has a secret, and device codes.
    basic = base64.b64encode(f"reports:{client_secret}".encode()).decode()
    grant = {"grant_type": "password", "username": address, "password": password}
    tokens("grant", call("/oauth/token", grant, {"Authorization": "Basic " + secret("Basic", basic)}, form=True))
    call("/oauth/token", grant | {"client_id": "reports", "client_secret": secret("wrong client secret", "canary-wrong-client")},
         form=True, expecting=(400, 401))
    device = call("/oauth/device_authorization", {"client_id": "tv"}, form=True)
    secret("device code", device["device_code"]), secret("user code", device["user_code"])
    polled = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "tv", "device_code": device["device_code"]}
    call("/oauth/token", polled, form=True, expecting=(400,))
    send("GET", "/device?user_code=" + device["user_code"])

    # A sign-in on the server's pages: state, nonce, verifier, the form's token, the browser's cookie and the code.
    verifier = secret("code verifier", base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("="))
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    redirect = "https://notes.example.com/callback"
    request = {"response_type": "code", "client_id": "notes", "redirect_uri": redirect, "scope": "openid",
               "state": secret("state", "canary-state"), "nonce": secret("nonce", "canary-nonce"),
               "code_challenge": challenge, "code_challenge_method": "S256"}
    browser = {"Origin": f"http://localhost:{port}"}
    status, fields, page = send("GET", "/oauth/authorize?" + urllib.parse.urlencode(request))
    hidden = secret("form token", re.search(rb'name="token"[^>]*value="([^"]+)"', page).group(1).decode())
    cookies = [each.split(";")[0] for each in fields.get_all("Set-Cookie") or []]
    answer = {"token": hidden, "name": address, "password": wrong}
    send("POST", "/login", answer, browser | {"Cookie": "; ".join(cookies)}, form=True)
    status, fields, page = send(
        "POST", "/login", answer | {"password": password}, browser | {"Cookie": "; ".join(cookies)}, form=True)
    assert status == 303, (status, page[:2000])
    for cookie in fields.get_all("Set-Cookie") or []:
        if len(cookie.split(";")[0].split("=", 1)[1]) >= 6:
            secret("cookie " + cookie.split("=")[0], cookie.split(";")[0].split("=", 1)[1])
    code = secret("code", dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(fields["Location"]).query))["code"])
    exchange = {"grant_type": "authorization_code", "client_id": "notes", "code": code, "redirect_uri": redirect}
    call("/oauth/token", exchange | {"code_verifier": "x" * 43}, form=True, expecting=(400,))
    call("/oauth/token", exchange | {"code_verifier": verifier}, form=True, expecting=(200, 400))

    # Passkeys, an identity provider, the second factor with its recovery codes.
    options = call("/api/auth/passkeys/options", {}, {"Authorization": "Bearer " + access})["publicKey"]
    secret("passkey challenge", options["challenge"])
    challenge = secret("sign-in challenge", call("/api/auth/passkeys/sign-in/options", {})["publicKey"]["challenge"])
    data = base64.urlsafe_b64encode(json.dumps({"type": "webauthn.get", "challenge": challenge}).encode()).decode().rstrip("=")
    credential = {"id": secret("passkey", "Y2FuYXJ5LXBhc3NrZXk"), "rawId": "Y2FuYXJ5LXBhc3NrZXk", "type": "public-key",
                  "response": {"clientDataJSON": secret("client data", data), "authenticatorData": "AAAA", "signature": "AAAA"}}
    call("/api/auth/passkeys/sign-in", {"credential": credential}, browser, expecting=(400, 401, 403, 404, 422))
    send("GET", "/api/auth/staff?redirect=notes%3A%2F%2Fauth%2Fcallback&code_challenge=" + "A" * 43 + "&code_challenge_method=S256")
    send("GET", f"/api/auth/staff/callback?code={secret('upstream code', 'canary-upstream-code')}&state={secret('upstream state', 'canary-upstream-state')}")
    call("/api/auth/exchange", {"code": secret("app's code", "canary-app-code"), "code_verifier": verifier}, expecting=(400, 401))
    setup = rpc("SetupTwoFactor", {}, access)
    secret("second factor", setup["secret"])
    for number, recovery in enumerate(setup["recoveryCodes"]):
        secret(f"recovery code {number}", recovery)
    rpc("VerifyTwoFactor", {"code": one_time_code(setup["secret"])}, access)
    call("/api/auth/clients/login", login, expecting=(403,))
    call("/api/auth/clients/login", login | {"otp": secret("wrong recovery code", "canary-recovery")}, expecting=(401, 403))
    access, refresh = tokens("recovery", call("/api/auth/clients/login", login | {"otp": setup["recoveryCodes"][0]}))

    # Changes of the password by the user and by mail.
    next_password = secret("next password", "canary mule walks into a museum")
    rpc("ChangePassword", {"currentPassword": password, "newPassword": next_password}, access, expecting=(200, 400))
    call("/api/auth/forgot-password", {"email": address})
    reset = secret("reset link", mailed(address, "/reset"))
    call("/api/auth/reset-password", {"token": reset, "password": secret("last password", "canary goose walks into a garden")},
         expecting=(200, 400, 403))
    send("POST", "/oauth/revoke", {"token": refresh}, form=True)
    send("POST", "/api/auth/clients/login", None, {"Content-Type": "application/json", "Content-Length": "0"})

    status, _, metrics = send("GET", "/metrics")
    assert status == 200 and b"latch_logins_total" in metrics
    command_line = Path(f"/proc/{process.pid}/cmdline")
    command = command_line.read_bytes() if command_line.exists() else b""
finally:
    process.terminate()
    ended = process.wait(120)
assert ended == 0, ended
audit = subprocess.run([latch, "admin", "audit", "list", "--store", store, "--json"], env=environment, capture_output=True)
assert audit.returncode == 0 and b"login.failed" in audit.stdout, audit
configuration = subprocess.run([latch, "serve", "--print-config"], env=environment, capture_output=True)
assert configuration.returncode == 0 and b"(redacted)" in configuration.stdout

# A database that refuses its password: the error names neither it nor the URI with it.
uri = f"postgres://latch:{secret('database password', 'canary-database-password')}@127.0.0.1:1/latch?connect_timeout=2"
refused = subprocess.run([latch, "serve"], env=environment | {"LATCH_STORE": uri}, capture_output=True)
assert refused.returncode != 0

outputs = {
    "standard output": (folder / "output").read_bytes(), "standard error": (folder / "log").read_bytes(),
    "the collector": b"".join(exported), "/metrics": metrics, "the command line": command,
    "the audit log": audit.stdout + audit.stderr, "--print-config": configuration.stdout + configuration.stderr,
    "a refused database": refused.stdout + refused.stderr, "errors": b"\n".join(errors),
}
log = outputs["standard error"]
if form != "off":
    assert b"/oauth/token" in log
# The text of the log, also the one without an access log, names it in other words.
slow = b"slow_query" if form in ("json", "logfmt") else b" slow query "
assert slow in log, "no slow statement is in the log"
assert b"db.operation.name" in outputs["the collector"], "no call of the store is in the traces"
assert b"POST /oauth/token" in outputs["the collector"] and outputs["standard output"].startswith(b"latch: serving ")
found = []
for name, value in secrets.items():
    for spelling in {value, urllib.parse.quote(value, safe=""), urllib.parse.quote_plus(value), value.encode().hex(),
                     base64.b64encode(value.encode()).decode().rstrip("="), json.dumps(value)[1:-1]}:
        found += [f"{name} in {place}" for place, content in outputs.items() if spelling.encode() in content]
# The address belongs into the audit log and the answers to its owner.
found += [f"the address in {place}" for place in ("standard error", "the collector", "/metrics") if address.encode() in outputs[place]]
if found:
    sys.exit("\n".join(sorted(set(found))))
print(f"canaries: {len(secrets)} secrets, in none of {len(outputs)} outputs ({len(log)} bytes of log, {len(exported)} exports)")
