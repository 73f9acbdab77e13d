# SPDX-License-Identifier: Apache-2.0
"""Fills a store of SQLite with accounts, devices, entries of the audit log and emails, for bench-administration.

The rows come by SQL, since sign-ups would hash a million passwords. The store's own triggers make the lists from them. The entries that
come after the first start of a server are not in the chain of the log, which then fails its verification.
"""

import json
import random
import sqlite3
import time
import uuid

DAY = 86_400_000
FIRST = ("ada", "alan", "barbara", "claude", "donald", "edsger", "emmy", "frances", "grace", "hedy", "john", "katherine",
         "kurt", "leslie", "margaret", "niklaus", "radia", "robin", "tim", "tony")
LAST = ("allen", "backus", "church", "dijkstra", "engelbart", "floyd", "goedel", "hamilton", "hopper", "iverson",
        "johnson", "knuth", "lamport", "liskov", "lovelace", "milner", "noether", "perlman", "shannon", "turing", "wirth")
AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 "
    "Mobile/15E148 Safari/604.1", "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0")
EVENTS = ("device.signedIn",) * 60 + ("device.signedOut",) * 20 + ("signIn.failed",) * 12 + (
    "account.created",) * 5 + ("account.passwordChanged",) * 2 + ("account.suspended",)
# The parameters of the pages' hashes with no password that fits.
HASH = "$argon2id$v=19$m=19456,t=2,p=1$" + "A" * 22 + "$" + "B" * 43
DETAILS = {
    "about": {"bio": "", "company": "", "interests": [], "jobTitle": "", "links": [], "location": "", "phone": "",
              "website": ""},
    "avatarURL": "", "displayName": "", "preferences": {
        "disabledFeatures": [], "emailNotifications": False, "language": "", "notifications": False,
        "pushNotifications": False, "theme": "", "timeZone": ""}, "wantsNews": False}


def address(number):
    """The address of an account; the first ones are of users who can sign in."""
    chosen = random.Random(number)
    return f"{chosen.choice(FIRST)}.{chosen.choice(LAST)}{number}@example{number % 50}.com"


class Population:
    """The rows of a store with `count` accounts of the last three years."""

    def __init__(self, path, count):
        self.count, self.random = count, random.Random(1)
        self.now = int(time.time() * 1000)
        self.start = self.now - 3 * 365 * DAY
        self.database = sqlite3.connect(path, isolation_level=None)
        for pragma in (
                "journal_mode = OFF", "synchronous = OFF", "cache_size = -4000000", "temp_store = MEMORY",
                "trusted_schema = ON"):
            self.database.execute(f"PRAGMA {pragma}")
        self.ids = []

    def created(self, number):
        return self.start + number * (self.now - self.start) // self.count

    def insert(self, table, columns, rows):
        sql = f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(columns.split(',')))})"
        self.database.execute("BEGIN")
        self.database.executemany(sql, rows)
        self.database.execute("COMMIT")

    def fill(self):
        self.ids = [self.id(self.created(number)) for number in range(self.count)]
        # Before the accounts, so that a row of the list is written once.
        self.insert(
            "account_details", "account_id, first_name, last_name, shown_name, search_key, content", self.details())
        trigger, = self.database.execute(
            "SELECT sql FROM sqlite_schema WHERE name = 'account_list_grows'").fetchone()
        self.database.execute("DROP TRIGGER account_list_grows")
        self.insert(
            "account",
            "id, email, email_key, name, password_hash, password_changed_at, email_verified_at, roles, permissions, status,"
            " standing, created_at, last_login_at", self.accounts())
        # What the trigger does for each row takes half as long for all.
        for day in ("-1", "(serial >> 20) / 86400000"):
            self.database.execute(
                f"INSERT INTO account_tally (day, class, count) SELECT {day}, class, count(*) FROM account_list GROUP BY 1, 2")
        self.database.execute("INSERT INTO account_search (account_search) VALUES ('rebuild')")
        self.database.execute(trigger)
        self.insert(
            "device", "id, account_id, secret, counter, created_at, last_used_at, expires_at, user_agent, address",
            (self.device(self.ids[number]) for number in range(self.count)))
        self.insert("audit", "at, event, account_id, detail", self.entries())
        self.insert(
            "mail", "id, purpose, email, email_key, created_at, due_at, attempts, language",
            self.mails(min(self.count, 100_000)))

    def id(self, milliseconds):
        """A UUID of version 7."""
        value = (milliseconds << 80) | (7 << 76) | (self.random.getrandbits(12) << 64) | (2 << 62)
        return str(uuid.UUID(int=value | self.random.getrandbits(62)))

    def accounts(self):
        """One in 151 is a moderator's, one in 53 is suspended, one in eleven waits for the proof of its address."""
        for number in range(self.count):
            created, email = self.created(number), address(number)
            suspended = number % 53 == 7
            yield (
                self.ids[number], email, email, " ".join(email.split("@")[0].rstrip("0123456789").title().split(".")), HASH,
                created, None if number % 11 == 3 else created, "moderator user" if number % 151 == 11 else "user", "",
                "disabled" if suspended else "active", "suspended" if suspended else None, created,
                created + (self.now - created) // 2)

    def details(self):
        for number in range(0, self.count, 2):
            first, last = address(number).split("@")[0].rstrip("0123456789").title().split(".")
            content = DETAILS | {"firstName": first, "lastName": last}
            yield (self.ids[number], first, last, f"{first} {last}", f"{first} {last}\n".lower(),
                   json.dumps(content, sort_keys=True))

    def device(self, account):
        return (
            self.random.randbytes(16), account, self.random.randbytes(32), 3, self.now - DAY, self.now - DAY // 2,
            self.now + 90 * DAY, self.random.choice(AGENTS), f"192.0.2.{self.random.randrange(256)}")

    def entries(self):
        """The entries of a year, since the server removes older ones."""
        for number in range(self.count):
            yield (
                self.now - 365 * DAY * (self.count - number) // self.count, self.random.choice(EVENTS), self.random.choice(self.ids),
                f"192.0.2.{self.random.randrange(256)}")

    def mails(self, count):
        """Emails that a mail server has refused for now."""
        for number in range(count):
            yield (
                f"{self.random.getrandbits(128):032x}", "verifyEmail", address(number), address(number),
                self.now - DAY, self.now + DAY + number, 3, "en")

    def distinguish(self, administrator, others):
        """Gives accounts the password of an administrator, 50 devices and 200 entries each; the first one the roles, too."""
        (password, roles), = self.database.execute(
            "SELECT password_hash, roles FROM account WHERE email_key = ?", (administrator,))
        for place, email in enumerate(others):
            (account,), = self.database.execute("SELECT id FROM account WHERE email_key = ?", (email,))
            self.database.execute(
                "UPDATE account SET password_hash = ?, roles = ?, status = 'active', standing = NULL,"
                " email_verified_at = created_at, owner_proved_at = created_at WHERE id = ?",
                (password, roles if place == 0 else "user", account))
            self.insert(
                "device", "id, account_id, secret, counter, created_at, last_used_at, expires_at, user_agent, address",
                (self.device(account) for _ in range(49)))
            self.insert(
                "audit", "at, event, account_id, detail",
                ((self.now, event, account, "192.0.2.1") for event in self.random.choices(EVENTS, k=200)))

    def close(self):
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.close()
