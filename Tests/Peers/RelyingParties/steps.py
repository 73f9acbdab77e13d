# SPDX-License-Identifier: Apache-2.0
"""What a relying party is led through, and what it has to report then."""

import base64
import http.client
import json
import re
import ssl
import time
from urllib.parse import parse_qs, urlencode, urlsplit

from harness import ADDRESS, LIMIT, NAME, PASSWORD, Failed


class Check:
    """The steps of one relying party."""

    def __init__(self, run, party):
        self.run, self.party, self.sub = run, party, None

    def ok(self, text):
        print(f"ok   {self.party.name}: {text}", flush=True)

    def expect(self, what, found, wanted):
        if found != wanted:
            raise Failed(f"{what}: {found!r}, and not {wanted!r}")

    def open(self, path, until=None, press=None, **options):
        """Opens a page of the party; returns the browser's answer at the page that it is led to."""
        until = self.party.origin + (until or path)
        answer = self.run.browser.ask(
            **{"open": self.party.origin + path, "until": until, "profile": self.party.name}
            | ({"press": press} if press else {}) | options
        )
        if "error" in answer:
            steps = "+".join(answer.get("steps", []))
            raise Failed(f"{answer['error']} after {steps or 'nothing'} at {answer.get('url')}: {answer.get('text')}")
        return answer

    def send(self, method, path, content=None, fields=()):
        """Sends a request to the party; returns the status and the answer."""
        trusted = ssl.create_default_context(cafile=self.run.folder.certificate)
        connection = http.client.HTTPSConnection("127.0.0.1", self.party.port, timeout=LIMIT, context=trusted)
        connection.request(method, path, json.dumps(content) if content else None, dict(fields))
        response = connection.getresponse()
        return response.status, response.read().decode()

    def request(self, method, path, content=None, fields=()):
        """The answer in JSON of a request to the party."""
        status, text = self.send(method, path, content, fields)
        if status != 200:
            raise Failed(f"{method} {path}: {status} {text}")
        return json.loads(text)

    def read(self, path):
        """The content of a page in JSON."""
        answer = self.open(path)
        try:
            return json.loads(answer["text"])
        except ValueError:
            raise Failed(f"{path} is no report: {answer['text']}") from None

    def sign_in(self, steps, text):
        """Signs in; `steps` are the pages of the server that the user had to go through."""
        party = self.party
        answer = self.open(party.start, until=party.user, press=party.press)
        self.expect("the pages", [step for step in answer["steps"] if step != "press"], steps)
        try:
            report = json.loads(answer["text"])
        except ValueError:
            raise Failed(f"the page after the sign-in is no report: {answer['text']}") from None
        self.check_user(report)
        if text:
            self.ok(text)
        return report.get("userinfo", report)

    def check_user(self, report):
        """The user of a report is the one of the reports before."""
        report = report.get("userinfo", report)
        for name, wanted in (("email", ADDRESS), ("email_verified", True), ("name", NAME)):
            if name in report:
                self.expect(name, report[name], wanted)
        if "preferred_username" in report and not re.fullmatch(r"user-[0-9a-f]{16}", report["preferred_username"]):
            raise Failed(f"preferred_username is {report['preferred_username']!r}")
        if not {"email", "sub"} & set(report):
            raise Failed(f"the peer reports no user: {report}")
        if "sub" in report:
            self.expect("sub", report["sub"], self.sub or report["sub"])
            self.sub = report["sub"]

    def first(self):
        report = self.sign_in(["login", "consent"], None)
        self.ok(f"signs in as {report.get('email', 'its user')}, who agrees to it")

    def refuse(self):
        """Signs in and refuses, in a browser that no other step uses; the party gets an error and does not sign the user in."""
        party, profile = self.party, self.party.name + "-refusal"
        answer = self.open(party.start, until=party.callback, press=party.press, deny=True, profile=profile)
        self.expect("the pages", [step for step in answer["steps"] if step != "press"], ["login", "deny"])
        response = {name: values[0] for name, values in parse_qs(urlsplit(answer["url"]).query).items()}
        self.expect("the response", response.get("error"), "access_denied")
        self.expect("its state and issuer", {"state", "iss"} <= set(response), True)
        user = self.open(party.user, profile=profile)["text"]
        if ADDRESS in user:
            raise Failed(f"the user has refused, and is signed in: {user}")
        self.ok("gets access_denied where the user refuses")

    def second(self):
        self.sign_in([], "signs in again, and nothing is asked")

    def refresh(self):
        report = self.read("/refresh")
        self.check_user(report)
        for name in report["new"]:
            self.expect("what is new", name in ("access_token", "refresh_token"), True)
        self.expect("a new access token", "access_token" in report["new"], True)
        rotated = ", which rotates" if "refresh_token" in report["new"] else ""
        self.ok(f"refreshes{rotated}")

    def log_out(self, press=None):
        """Logs out here and at the server, which then asks for the password, and not for the consent."""
        answer = self.open("/logout", until="/goodbye", press=press)
        self.expect("the pages", [step for step in answer["steps"] if step != "press"], [])
        self.sign_in(["login"], "logs out, also at the server, which asks for the password then")

    def log_out_here(self, path="/logout", press=None, until=None):
        """Logs out at the party only; the user is still signed in at the server."""
        self.open(path, until=until, press=press)
        self.expect("the user after the logout", self.read(self.party.user), {})
        self.sign_in([], "logs out here, and signs in again")


def renews(check):
    """mozilla-django-oidc renews the session when a page is opened after its time, which this waits for."""
    before = check.read("/user")["renewed"]
    limit = time.monotonic() + LIMIT
    while time.monotonic() < limit:
        answer = check.open("/user")
        check.expect("the pages", answer["steps"], [])
        report = json.loads(answer["text"])
        check.check_user(report)
        if report["renewed"] > before:
            check.ok("renews its session with prompt=none")
            return
        time.sleep(0.2)
    raise Failed("the session was not renewed")


def acts_for_itself(check):
    """The party gets a token for a program, without a user."""
    report = check.read("/machine")
    check.expect("scope", report["scope"] if isinstance(report["scope"], str) else " ".join(report["scope"]), "notes:read")
    check.ok("gets a token of its own by client_credentials")


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def robot_tokens(check):
    """The access token of a program, the same with another signature, and its algorithm."""
    basic = base64.b64encode(":".join(check.run.robot).encode()).decode()
    form = {"grant_type": "client_credentials", "scope": "notes:read"}
    token = check.run.server.call("/oauth/token", None, form, {"Authorization": "Basic " + basic})["access_token"]
    head, claims, signature = token.split(".")
    forged = f"{head}.{claims}.{signature[:10]}{signature[10:30].swapcase()}{signature[30:]}"
    return token, forged, json.loads(base64.urlsafe_b64decode(head + "=="))["alg"]


def accepts(check, name, path, token, forged):
    """An API accepts a token, and does not accept the forged one; returns its answer."""
    status, text = check.send("GET", path, fields=bearer(token))
    if status != 200:
        raise Failed(f"{name} refuses a token: {status} {text}")
    status, refusal = check.send("GET", path, fields=bearer(forged))
    if status != 401:
        raise Failed(f"{name} answers a forged token with {status} {refusal}")
    return text


def verifies(check):
    """Each library accepts the access token of a program, and no changed one."""
    token, forged, algorithm = robot_tokens(check)
    query = "?" + urlencode({"algorithms": json.dumps([algorithm])})
    for path, how in (
        ("/pyjwt" + query, f"verifies an access token with {algorithm}"), ("/joserfc" + query, f"verifies it with {algorithm}"),
        ("/authlib", f"verifies it with {algorithm}, as RFC 9068 has it"), ("/introspection", "asks the server for it (RFC 7662)"),
    ):
        name = {"introspection": "authlib"}.get(path[1:], path[1:].partition("?")[0])
        report = json.loads(accepts(check, name, path, token, forged))
        check.expect("client_id", report["client_id"], "robot")
        check.expect("scope", report["scope"], "notes:read")
        check.ok(f"{name} {how}, and refuses a changed one")


def apache_verifies(check):
    token, forged, algorithm = robot_tokens(check)
    accepts(check, "mod_auth_openidc", "/api/", token, forged)
    check.ok(f"verifies an access token with {algorithm} as an API, and refuses a changed one")


def verifies_user(check):
    """Authlib's validator of RFC 9068 is strict about roles, of which this user has none."""
    login = {"email": ADDRESS, "password": PASSWORD}
    token = check.run.server.call("/api/auth/clients/login", login)["accessToken"]
    status, text = check.send("GET", "/authlib/user", fields=bearer(token))
    if status != 200:
        raise Failed(f"authlib refuses the token of a login: {status} {text}")
    check.ok("authlib verifies the token of a login with the password")


def apache_refreshes(check):
    before = check.read(check.party.user)
    back = check.party.origin + check.party.user
    query = {"refresh": back, "access_token": before["access_token"]}
    report = json.loads(check.open("/protected/redirect_uri?" + urlencode(query), until=check.party.user)["text"])
    check.check_user(report["userinfo"])
    check.expect("a new access token", report["access_token"] != before["access_token"], True)
    check.expect("a new refresh token", report["refresh_token"] != before["refresh_token"], True)
    check.ok("refreshes, which rotates")


def apache_logs_out(check):
    goodbye = check.party.origin + "/goodbye.html"
    answer = check.open("/protected/redirect_uri?" + urlencode({"logout": goodbye}), until="/goodbye.html")
    check.expect("the pages", answer["steps"], [])
    check.sign_in(["login"], "logs out, also at the server, which asks for the password then")


def page_result(answer):
    if "error" in answer:
        raise Failed(f"{answer['error']} at {answer.get('url')}: {answer.get('text')}")
    result = json.loads(parse_qs(urlsplit(answer["url"]).query)["result"][0])
    if "error" in result:
        raise Failed(f"the page: {result['error']}")
    return result


def page_signs_in(check):
    """A page reads what it needs, with a public client whose redirect URI has its origin.

    No consent is kept for a public client of this machine, so that the user is asked again, and nobody signs in without being asked.
    """
    signs_in = "signs in by fetch: metadata, keys, token, userinfo"
    for steps, text in ((["login", "consent"], signs_in), (["consent"], "signs in again")):
        answer = check.open("/", until="/done?")
        check.expect("the pages", answer["steps"], steps)
        result = page_result(answer)
        user = result["user"]
        check.check_user(user)
        check.expect("address", user["email"], ADDRESS)
        check.expect("the statuses", [result[name] for name in ("token", "refresh", "revoked")], [200, 200, 200])
        check.ok(text)
    check.expect("a sign-in in a frame", result["renewed"], "consent_required")
    check.ok("gets the response of a hidden frame with prompt=none")
    check.expect("rotation", result["rotated"], True)
    check.ok("refreshes, which rotates")
    check.expect("a refresh after the revocation", result["ended"], [400, "invalid_grant"])
    check.expect("userinfo with a bad token", result["refused"], 401)
    if "invalid_token" not in (result["challenge"] or ""):
        raise Failed(f"the page cannot read the challenge: {result['challenge']}")
    check.ok("revokes its refresh token, and reads why a token is refused")
    check.page_token = result["access"]


def page_is_strange(check):
    """The same page at another origin reads nothing with a token, but that it is refused."""
    origin = f"https://127.0.0.1:{check.run.more['stranger']}"
    answer = check.run.browser.ask(
        open=f"{origin}/?{urlencode({'token': check.page_token})}", until=f"{origin}/done?", profile=check.party.name
    )
    result = page_result(answer)
    check.expect("what a page of another origin reads", set(result.values()) - {"TypeError", 401}, set())
    check.ok("at another origin, " + ", ".join(result) + " are unreadable, but for a refused token")


def matrix_signs_in(steps, text):
    """Signs in as a Matrix client does: it gets a token at its address, and an access token for it."""
    def step(check):
        client = check.run.more["matrix_client"]
        path = "/_matrix/client/v3/login/sso/redirect/oidc-latch?" + urlencode({"redirectUrl": client})
        answer = check.run.browser.ask(open=check.party.origin + path, until=client, profile=check.party.name)
        if "error" in answer:
            raise Failed(f"{answer['error']} at {answer.get('url')}: {answer.get('text')}")
        check.expect("the pages", answer["steps"], steps)
        token = parse_qs(urlsplit(answer["url"]).query)["loginToken"][0]
        report = check.request("POST", "/_matrix/client/v3/login", {"type": "m.login.token", "token": token})
        fields = bearer(report["access_token"])
        user = check.request("GET", "/_matrix/client/v3/account/whoami", fields=fields)["user_id"]
        name = check.request("GET", f"/_matrix/client/v3/profile/{user}/displayname", fields=fields)["displayname"]
        addresses = check.request("GET", "/_matrix/client/v3/account/3pid", fields=fields)["threepids"]
        check.check_user({
            "sub": user, "preferred_username": user.removeprefix("@").partition(":")[0], "name": name,
            "email": addresses[0]["address"],
        })
        check.ok(text.format(user=user))
    return step


def hub_signs_in(steps, text):
    """JupyterHub shows the user's name at its page."""
    def step(check):
        answer = check.open("/hub/oauth_login?next=/hub/home", until="/hub/home")
        check.expect("the pages", answer["steps"], steps)
        name = re.search(r"user-[0-9a-f]+", answer["text"])
        if not name:
            raise Failed(f"the page does not show the user: {answer['text']}")
        check.check_user({"sub": name[0], "preferred_username": name[0]})
        check.ok(text.format(user=name[0]))
    return step


def hub_logs_out(check):
    """The hub leads to the server, which asks first: it gets no ID token that says whose session the hub means."""
    answer = check.run.browser.ask(open=check.party.origin + "/hub/logout", profile=check.party.name, idle=3)
    check.expect("the pages", answer["steps"], ["logout"])
    hub_signs_in(["login"], "logs out, also at the server, which asks first")(check)


def lemonldap_signs_in(steps, text):
    """The portal leads on to its report of the session."""
    def step(check):
        report = "/mysession/?whoami=1"
        url = base64.b64encode((check.party.origin + report).encode()).decode()
        answer = check.open("/?" + urlencode({"url": url}), until=report)
        check.expect("the pages", answer["steps"], steps)
        user = json.loads(answer["text"])["result"]
        check.check_user({"sub": user, "preferred_username": user})
        check.ok(text.format(user=user))
    return step


def lemonldap_logs_out(check):
    answer = check.open("/?cancel=0&logout=1", until="/?logout=1")
    check.expect("the pages", answer["steps"], [])
    lemonldap_signs_in(["login"], "logs out, also at the server, which asks for the password then")(check)


def signs_in_by_device(check):
    """The browser is signed in already, and its user confirms the code and the sign-in."""
    answer = check.run.browser.ask(open=check.party.origin + "/device", profile=check.party.name, idle=3)
    if "error" in answer:
        raise Failed(f"{answer['error']} at {answer.get('url')}: {answer.get('text')}")
    check.expect("the pages", answer["steps"], ["device", "device"])
    report = check.read("/device/result")
    check.check_user(report)
    check.ok(f"signs in as {report['email']} with the code of another device")


def call_tool(check, path, pages):
    """The report of a call of a tool, for which the user had to go through these pages of the server."""
    answer = check.open(path, until="/user")
    check.expect("the pages", answer["steps"], pages)
    report = json.loads(answer["text"])
    check.check_user(report)
    check.expect("the API of the token", report["aud"].startswith("http://127.0.0.1:"), True)
    return report


def reads_with_tools(check):
    report = call_tool(check, "/login", ["login", "consent"])
    check.expect("the notes and the scope", (report["texts"], "notes:write" in report["scopes"]), ([], False))
    check.ok("finds the auth server from the address of Examples/mcp-server, signs in, and calls a tool")


def writes_with_tools(check):
    report = call_tool(check, "/add", ["consent"])
    check.expect("the response", report["texts"], ["Added."])
    check.expect("the scopes", {"notes:read", "notes:write"} <= set(report["scopes"]), True)
    check.expect("the notes", call_tool(check, "/list", [])["texts"], ["milk"])
    check.ok("gets 403 with the scope of another tool, asks its user for it, and calls the tool")


def registers_itself(check):
    if not check.read("/offers")["registration"]:
        check.ok("does not register itself, since the server offers no registration")
        return
    report = call_tool(check, "/register", ["consent"])
    check.expect("the client is its own", report["is_registered"], True)
    check.ok("registers itself (RFC 7591), and calls a tool")


def has_document(check):
    if not check.read("/offers")["document"]:
        check.ok("uses no metadata document, since the server fetches none")
        return
    report = call_tool(check, "/document", ["consent"])
    check.expect("the client is a URL", report["client"].startswith("https://"), True)
    check.ok("is known by its metadata document, and calls a tool")
