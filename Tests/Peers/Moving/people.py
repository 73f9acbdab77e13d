# SPDX-License-Identifier: Apache-2.0
"""The users of the systems that are moved: what they sign in with, and what becomes of them."""

import dataclasses

# Passwords that differ after any normalization, trimming or wrong encoding.
WORDS = ["Größe", "пароль", "パスワード", "e\u0301te\u0301", "²³\ufb01", "🐎🔋📎", " before", "naïve\u00a0x", "quote\"'\\", "$2b$04$"]


@dataclasses.dataclass
class Person:
    """A user of another system."""

    number: int
    email: str
    password: str = None
    username: str = None
    name: str = "Ada Lövelace"
    # The place in a table of special cases; 0 for an ordinary user.
    case: str = "plain"
    is_active: bool = True
    is_verified: bool = False
    # The reason why the import refuses the record, as it begins; None if it does not.
    refusal: str = None

    @property
    def status(self):
        """The status of the response to a sign-in with the right password."""
        if self.refusal or self.password is None:
            return 401
        return 200 if self.is_active else 403


def make(system, count, cases):
    """Returns users of a system, each sixtieth of whom has a case of its own.

    A case is a name and a function that changes a person, which also gets the one before.
    """
    people = []
    for number in range(count):
        person = Person(
            number, f"{system}{number}@example.org", f"{WORDS[number % len(WORDS)]}-{number}-{system}", f"{system}{number}"
        )
        place = number % 60
        if place < len(cases):
            name, change = cases[place]
            person.case = name
            change(person, people[-1] if people else None)
        people.append(person)
    return people


def change(**members):
    """Returns a function that sets members of a person; a text may have the number in it."""
    def apply(person, _):
        for name, value in members.items():
            setattr(person, name, value.format(person.number) if isinstance(value, str) else value)
    return apply


def duplicate(person, before):
    """The address of the user before, in capitals; all systems keep the case of the part before the @."""
    person.email = before.email.replace(before.username, before.username.upper())
    person.refusal = "'email' is the same as in "


def lengthen(bytes_count):
    """Returns a function that makes a password of a number of bytes."""
    def apply(person, _):
        person.password = (person.password + "y" * bytes_count).encode()[:bytes_count].decode(errors="ignore")
    return apply
