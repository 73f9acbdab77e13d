# SPDX-License-Identifier: Apache-2.0
"""fill_django.py PEOPLE: creates users in the Django project of the working directory."""

import json
import os
import sys

import django

sys.path.insert(0, os.getcwd())
django.setup()
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth import hashers
from django.contrib.auth.models import Group, User
from django.db import transaction


class Quick(hashers.PBKDF2PasswordHasher):
    """Less than the cost of Django 1.4, which was 10,000."""

    iterations = 1_000


def hasher(person):
    """The hasher of a case with Django's own cost, for one user: some need half a second."""
    made = getattr(hashers, f"{person['case']}PasswordHasher", None)
    return made() if made and (person["number"] < 60 or person["refusal"]) else Quick()


def create(person, group):
    user = User(
        username=person["username"], email=User.objects.normalize_email(person["email"]), first_name=person["name"],
        is_active=person["is_active"],
    )
    user.is_superuser = user.is_staff = person["case"] == "superuser"
    if person["password"] is None:
        user.set_unusable_password()
    else:
        one = hasher(person)
        user.password = one.encode(person["password"], one.salt())
        if not one.verify(person["password"], user.password):
            raise SystemExit(f"Django does not accept the password of {user.username}")
    user.save()
    if user.is_superuser:
        user.groups.add(group)
    if person["is_verified"]:
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    if person["case"] == "google":
        SocialAccount.objects.create(user=user, provider="google", uid=f"2000{person['number']}")


with open(sys.argv[1], encoding="utf-8") as file, transaction.atomic():
    staff = Group.objects.create(name="staff")
    for one in json.load(file):
        create(one, staff)
