# SPDX-License-Identifier: Apache-2.0
"""Users of several `latch serve` over one database, who remember what each server has acknowledged, and probes of /readyz."""

import base64
import collections
import hashlib
import http.client
import json
import random
import re
import secrets
import threading
import time
from urllib.parse import parse_qs, urlencode, urlsplit

PASSWORD = "a horse walks into a library"
CLIENT = {"id": "notes", "grants": ["authorization_code", "refresh_token"], "redirects": ["https://notes.example.com/callback"],
          "trusted": True, "id_token_signed_response_alg": "ES256"}
# A server waits for its database for 15 seconds before it gives a request up.
REQUEST_SECONDS = 40
# For how long a code is valid.
CODE_SECONDS = 60
# A pause of a client whose request has failed.
RETRY_SECONDS = 0.5

Answer = collections.namedtuple("Answer", "status fields body")


class Node:
    """A server, as its clients see it."""

    def __init__(self, name, port):
        self.name, self.port = name, port

    def send(self, method, path, form=None, fields=(), seconds=REQUEST_SECONDS):
        """The answer; None where none comes, after which nobody knows what the request has done."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            kind = {"Content-Type": "application/x-www-form-urlencoded"} if form is not None else {}
            connection.request(method, path, urlencode(form) if form is not None else None, {**kind, **dict(fields)})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read().decode())
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def json(self, path, content):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=REQUEST_SECONDS)
        connection.request("POST", path, json.dumps(content), {"Content-Type": "application/json"})
        return connection.getresponse().status


class Session:
    """What a user was given last, and whether the user has signed out."""

    def __init__(self, refresh, client=None):
        self.refresh, self.client, self.access = refresh, client, None


class Code:
    """An authorization code, and how often it was redeemed."""

    def __init__(self, text, verifier):
        self.text, self.verifier, self.successes, self.born = text, verifier, 0, time.monotonic()


class Load:
    """The users, one thread each, until the end of the run."""

    def __init__(self, nodes, users):
        self.nodes, self.lock = nodes, threading.Lock()
        self.counts, self.problems = collections.Counter(), []
        self.times, self.slowest = [], 0
        self.ended, self.codes = [], collections.deque()
        self.stopping = threading.Event()
        self.sessions = [[] for _ in range(users)]
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True) for number in range(users)]

    def start(self):
        for number in range(len(self.threads)):
            status = random.choice(self.nodes).json("/api/clients/register", {"email": self.name(number), "password": PASSWORD})
            if status not in (200, 201, 202):
                raise RuntimeError(f"a sign-up is answered with {status}")
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(REQUEST_SECONDS * 3)

    @staticmethod
    def name(number):
        return f"user{number}@example.com"

    def problem(self, text):
        with self.lock:
            self.problems.append(text)

    # MARK: Requests

    def ask(self, what, path, form, fields=(), patient=True, node=None):
        """Asks servers until one answers that it has done or refused it, as a client does that keeps trying."""
        while True:
            begin = time.monotonic()
            answer = (node or random.choice(self.nodes)).send("POST", path, form, fields)
            end = time.monotonic()
            status = answer.status if answer else 0
            with self.lock:
                self.counts[what, status] += 1
                self.slowest = max(self.slowest, end - begin)
                if status == 200:
                    self.times.append((end, what))
            if not patient or (answer and status < 500 and status != 429):
                return answer
            time.sleep(RETRY_SECONDS)

    def run(self, number):
        try:
            while not self.stopping.is_set():
                self.act(number)
                time.sleep(random.uniform(0, 0.1))
        except Exception as error:  # Everything else than a refusal, which the run reports.
            self.problem(f"user {number}: {error!r}")

    def act(self, number):
        sessions = self.sessions[number]
        chance = random.random()
        if not sessions or chance < 0.1:
            self.sign_in(number)
        elif chance < 0.2:
            self.use_code(number)
        elif chance < 0.25 and len(sessions) > 3:
            self.sign_out(sessions.pop(random.randrange(len(sessions))))
        else:
            self.refresh(random.choice(sessions))

    def sign_in(self, number):
        answer = self.ask("sign-in", "/oauth/token", {
            "grant_type": "password", "username": self.name(number), "password": PASSWORD})
        if answer.status != 200:
            return self.problem(f"a sign-in is refused: {answer.status} {answer.body}")
        self.sessions[number].append(Session(json.loads(answer.body)["refresh_token"]))

    def refresh(self, session, what="refresh"):
        """Refreshes with the same token and the same key until a server answers: what was acknowledged has to be valid."""
        form = {"grant_type": "refresh_token", "refresh_token": session.refresh}
        if session.client:
            form["client_id"] = session.client
        answer = self.ask(what, "/oauth/token", form, {"Idempotency-Key": secrets.token_hex(8)})
        if answer.status != 200:
            return self.problem(f"a session that was acknowledged is refused: {answer.status} {answer.body}")
        tokens = json.loads(answer.body)
        session.refresh, session.access = tokens["refresh_token"], tokens["access_token"]

    def sign_out(self, session):
        form = {"token": session.refresh} | ({"client_id": session.client} if session.client else {})
        if self.ask("sign-out", "/oauth/revoke", form).status == 200:
            with self.lock:
                self.ended.append(session)

    # MARK: Codes

    def code(self, number):
        """Signs in on the page of a server; None where the visit does not reach its end."""
        node, verifier = random.choice(self.nodes), secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        page = node.send("GET", "/oauth/authorize?" + urlencode({
            "response_type": "code", "client_id": CLIENT["id"], "redirect_uri": CLIENT["redirects"][0], "scope": "openid",
            "state": "state", "code_challenge": challenge, "code_challenge_method": "S256"}))
        if not page or page.status != 200:
            return None
        token = re.search(r'name="token" value="([^"]+)"', page.body)
        cookies = "; ".join(one.partition(";")[0] for one in page.fields.get_all("Set-Cookie", []))
        answer = self.ask(
            "page", "/login", {"token": token[1], "name": self.name(number), "password": PASSWORD}, {"Cookie": cookies}, patient=False,
            node=node)
        place = answer.fields.get("Location", "") if answer else ""
        found = parse_qs(urlsplit(place).query).get("code")
        return Code(found[0], verifier) if found else None

    def redeem(self, code, what="code", patient=True):
        answer = self.ask(what, "/oauth/token", {
            "grant_type": "authorization_code", "code": code.text, "code_verifier": code.verifier, "client_id": CLIENT["id"],
            "redirect_uri": CLIENT["redirects"][0]}, patient=patient)
        if answer and answer.status == 200:
            with self.lock:
                code.successes += 1
                if code.successes > 1:
                    self.problems.append("a code was redeemed twice")
        return answer

    def use_code(self, number):
        code = self.code(number)
        if not code:
            return
        with self.lock:
            self.codes.append(code)
            while self.codes and time.monotonic() - self.codes[0].born > CODE_SECONDS:
                self.codes.popleft()
        # Two at once, at any two servers: one of them is a thief.
        twin = threading.Thread(target=self.redeem, args=(code,), daemon=True)
        twin.start()
        self.redeem(code)
        twin.join()

    # MARK: What must still be so

    def replay_codes(self):
        """Redeems once more what was redeemed before a fault; returns how many codes were young enough to show something."""
        with self.lock:
            young = [one for one in self.codes if time.monotonic() - one.born < CODE_SECONDS and one.successes]
        for code in young:
            self.redeem(code, "replay")
        return len(young)

    def check(self):
        """Refreshes every session, reads with its access token, and tries every session that has ended; returns their numbers."""
        kept = [session for one in self.sessions for session in one]
        for session in kept:
            self.refresh(session, "check")
            answer = random.choice(self.nodes).send("GET", "/user/profile", fields={"Authorization": f"Bearer {session.access}"})
            if not answer or answer.status != 200:
                self.problem(f"an access token is refused: {answer and answer.status}")
        for session in self.ended:
            form = {"grant_type": "refresh_token", "refresh_token": session.refresh} | (
                {"client_id": session.client} if session.client else {})
            answer = self.ask("check of the ended", "/oauth/token", form)
            if answer.status == 200:
                self.problem("a session that was signed out is valid again")
        return len(kept), len(self.ended)

    def gap(self, moment):
        """The longest time without any success since a moment: (when it began, how long it was), in seconds."""
        with self.lock:
            ends = [moment, *(end for end, _ in self.times if end > moment)]
        return max(((later - earlier, earlier - moment) for earlier, later in zip(ends, ends[1:])), default=(0, 0))


class Probe:
    """Asks a server again and again whether it is ready, as a balancer does."""

    def __init__(self, node):
        self.node, self.samples, self.stopping = node, [], threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.stopping.is_set():
            begin = time.monotonic()
            answer = self.node.send("GET", "/readyz", seconds=10)
            self.samples.append((begin, time.monotonic(), answer.status if answer else 0))
            time.sleep(0.2)

    def since(self, moment):
        return [one for one in self.samples if one[0] >= moment]

    def stop(self):
        self.stopping.set()
        self.thread.join(15)
