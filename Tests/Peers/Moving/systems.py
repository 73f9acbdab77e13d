# SPDX-License-Identifier: Apache-2.0
"""The systems that users are moved from: each is made, filled with users by its own interface, and exported as
Documentation/Moving.md says."""

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path

import peer
from harness import Failed, await_port
from people import change, duplicate, lengthen, make
from ports import free_port

HERE = Path(__file__).resolve().parent
NO_EMAIL, NO_HASH = "'email' is missing.", "The password hash has no format that can be imported."
HASHERS = ["PBKDF2", "PBKDF2SHA1", "Argon2", "BCryptSHA256", "BCrypt", "Scrypt"]
DJANGO_SETTINGS = """
INSTALLED_APPS += ["allauth", "allauth.account", "allauth.socialaccount"]
MIDDLEWARE += ["allauth.account.middleware.AccountMiddleware"]
PASSWORD_HASHERS = [f"django.contrib.auth.hashers.{name}PasswordHasher" for name in %r]
"""
# The table of Flask-AppBuilder, which Airflow and Superset have too, as the guide's example for a database.
APP_BUILDER_QUERY = """
SELECT id AS foreign_id, email, username, first_name || ' ' || last_name AS name, password AS password_hash,
       created_on AS created_at, CASE active WHEN 1 THEN 'active' ELSE 'disabled' END AS status
FROM ab_user
"""


class System:
    """A system with its users."""

    name = None
    # The value of --from; None for the format of this server.
    source = None
    cases = []
    options = []
    links = 0

    def __init__(self, folder, count):
        self.folder = folder.path / self.name
        self.folder.mkdir()
        self.log = folder
        self.people = make(self.name, count, self.cases)

    def run(self, command, file=None, **options):
        """Runs a command in the folder of the system, whose output becomes a file."""
        with open(self.folder / (file or "output"), "wb") as output, open(self.log.log(self.name), "ab") as log:
            done = subprocess.run(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=log, check=False, **options
            )
        if done.returncode:
            raise Failed(f"{self.name}: {command[:3]} ends with {done.returncode}: {self.log.log(self.name).read_text()[-2000:]}")

    def write_people(self):
        path = self.folder / "people.json"
        path.write_text(json.dumps([vars(person) for person in self.people]))
        return path

    @property
    def import_options(self):
        return ["--from", self.source, *self.options] if self.source else self.options


class Django(System):
    """A project of Django with its own users, hashers and permissions, and with django-allauth."""

    name = source = "django"
    cases = [
        ("plain", change()),
        ("no email", change(email="", refusal=NO_EMAIL)),
        ("inactive", change(is_active=False)),
        ("superuser", change()),
        ("unusable", change(password=None)),
        ("duplicate", duplicate),
        ("address as the user name", change(username="django{}@example.org")),
        ("user name in Unicode", change(username="Ünïcode{}")),
        ("user name with a plus", change(username="a+b{}")),
        ("capitals in the address", change(email="Django.Mixed{}@example.org")),
        ("long", lengthen(200)),
        ("verified", change(is_verified=True)),
        ("google", change()),
        *((name, change()) for name in HASHERS),
        ("MD5", change(refusal=NO_HASH)),
    ]

    def __init__(self, folder, count):
        super().__init__(folder, count)
        self.options = ["--with", str(self.folder / "allauth.json")]
        self.links = sum(person.case == "google" for person in self.people)

    def export(self):
        places = os.pathsep.join(peer.packages(name) for name in ("passwords", "rp-django"))
        options = {"env": os.environ | {
            "PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1", "DJANGO_SETTINGS_MODULE": "shop.settings"}}
        self.run([sys.executable, "-m", "django", "startproject", "shop", "."], env=options["env"] | {"DJANGO_SETTINGS_MODULE": ""})
        with open(self.folder / "shop/settings.py", "a", encoding="utf-8") as settings:
            settings.write(DJANGO_SETTINGS % [*HASHERS, "MD5"])
        manage = [sys.executable, "manage.py"]
        self.run([*manage, "migrate", "-v", "0"], **options)
        self.run([sys.executable, HERE / "fill_django.py", self.write_people()], **options)
        self.run([*manage, "dumpdata", "auth.user", "--format", "jsonl"], "users.jsonl", **options)
        self.run([*manage, "dumpdata", "account.emailaddress", "socialaccount.socialaccount"], "allauth.json", **options)
        return self.folder / "users.jsonl"


class PocketBase(System):
    """A PocketBase with users that its own interface has created, and who are exported while it runs."""

    name = source = "pocketbase"
    cases = [
        ("plain", change(is_verified=True)),
        ("no email", change(email="", refusal=NO_EMAIL)),
        ("plain", change(name="")),
        ("duplicate", duplicate),
        ("capitals in the address", change(email="PocketBase.Mixed{}@Example.org")),
        ("long", lengthen(71)),
        # Its user is one of Django's before.
        ("taken", change(email="django{}@example.org", refusal="'email' belongs to another account")),
        ("google", change()),
    ]
    program = "bin/pocketbase"

    def __init__(self, folder, count):
        super().__init__(folder, count)
        self.token, self.connection = None, None
        self.options = ["--with", str(self.folder / "links.json")]

    def call(self, method, path, content=None):
        fields = {"Content-Type": "application/json"} | ({"Authorization": self.token} if self.token else {})
        self.connection.request(method, f"/api/collections/{path}", content and json.dumps(content).encode(), fields)
        response = self.connection.getresponse()
        text = response.read().decode()
        if response.status >= 300:
            raise Failed(f"PocketBase, {method} {path}: {response.status} {text}")
        return json.loads(text)

    def export(self):
        program = Path(peer.packages("pocketbase")) / self.program
        address, password = "root@example.org", "a horse walks into a library"
        self.run([program, "superuser", "create", address, password, "--dir", "pb_data"])
        port = free_port()
        command = [program, "serve", "--http", f"127.0.0.1:{port}", "--dir", self.folder / "pb_data"]
        child = self.log.start(self.name, command, stdout=subprocess.DEVNULL)
        await_port(port, child, self.name)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.token = self.call("POST", "_superusers/auth-with-password", {"identity": address, "password": password})["token"]
        self.set_cost(4)
        for person in self.people:
            if person.case == "long":
                self.set_cost(10)
            record = {
                "email": person.email, "password": person.password, "passwordConfirm": person.password, "name": person.name,
                "verified": person.is_verified,
            }
            made = self.call("POST", "users/records", record)
            if person.case == "long":
                self.set_cost(4)
            if person.case == "google":
                self.call("POST", "_externalAuths/records", {
                    "collectionRef": made["collectionId"], "recordRef": made["id"], "provider": "google",
                    "providerId": f"1000{person.number}",
                })
                self.links += 1
        query = ["sqlite3", "-json", "pb_data/data.db"]
        self.run([*query, "SELECT * FROM users"], "users.json")
        self.run([*query, "SELECT * FROM _externalAuths"], "links.json")
        return self.folder / "users.json"

    def set_cost(self, cost):
        """Sets the cost of bcrypt for new users, and lets them have any password."""
        fields = self.call("GET", "users")["fields"]
        for field in fields:
            if field["name"] == "password":
                field.update(cost=cost, min=1)
            if field["name"] == "email":
                field["required"] = False
        self.call("PATCH", "users", {"fields": fields})


class AppBuilder(System):
    """A database of Flask-AppBuilder, through the format for any other system."""

    name = "appbuilder"
    cases = [
        ("plain", change()),
        ("scrypt", change()),
        ("inactive", change(is_active=False)),
        ("taken", change(email="django{}@example.org", refusal="'email' belongs to another account")),
    ]
    # Its numbers are those of Django's users too.
    options = ["--prefix", "appbuilder-"]

    def export(self):
        environment = os.environ | {"PYTHONPATH": peer.packages("rp-flask"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.run([sys.executable, HERE / "fill_appbuilder.py", self.write_people()], env=environment)
        self.run(["sqlite3", "-csv", "-header", "app.sqlite", APP_BUILDER_QUERY], "users.csv")
        return self.folder / "users.csv"
