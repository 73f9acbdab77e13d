# SPDX-License-Identifier: Apache-2.0
"""fill_appbuilder.py PEOPLE: creates users in a database of Flask-AppBuilder in the working directory."""

import json
import os
import secrets
import sys

from flask import Flask
from flask_appbuilder import AppBuilder
from flask_appbuilder.const import AUTH_DB
from flask_appbuilder.utils.legacy import get_sqla_class
from werkzeug.security import generate_password_hash

app = Flask(__name__)
app.config.update(
    SECRET_KEY=secrets.token_hex(32), SQLALCHEMY_DATABASE_URI=f"sqlite:///{os.getcwd()}/app.sqlite", AUTH_TYPE=AUTH_DB,
    RATELIMIT_ENABLED=False,
)
db = get_sqla_class()()
db.init_app(app)
with app.app_context(), open(sys.argv[1], encoding="utf-8") as file:
    manager = AppBuilder(app, db.session).sm
    role = manager.find_role("Public")
    for person in json.load(file):
        password = person["password"]
        # Its own cost takes a tenth of a second.
        given = {"password": password} if person["case"] == "scrypt" else {
            "hashed_password": generate_password_hash(password, "pbkdf2:sha256:1000")}
        user = manager.add_user(person["username"], person["name"], "B.", person["email"], role, **given)
        if not user:
            raise SystemExit(f"Flask-AppBuilder does not create {person['username']}")
        if not person["is_active"]:
            user.active = False
            manager.update_user(user)
