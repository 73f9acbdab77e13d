# SPDX-License-Identifier: Apache-2.0
"""Flask-AppBuilder, which Airflow and Superset sign in with: AUTH_OAUTH and a security manager that reads userinfo, as its guide
has it for providers that it does not know."""

import secrets

import party
from flask import Flask, jsonify
from flask_appbuilder import AppBuilder
from flask_appbuilder.const import AUTH_OAUTH
from flask_appbuilder.security.sqla.manager import SecurityManager
from flask_appbuilder.utils.legacy import get_sqla_class
from flask_login import current_user

settings = party.read()


class Manager(SecurityManager):
    def get_oauth_user_info(self, provider, response):
        claims = self.appbuilder.sm.oauth_remotes[provider].userinfo(token=response)
        return {
            "username": claims["preferred_username"], "email": claims["email"], "first_name": claims.get("name", ""),
            "last_name": "", "role_keys": [],
        }


app = Flask(__name__)
app.config.update(
    SECRET_KEY=secrets.token_hex(32),
    SQLALCHEMY_DATABASE_URI=f"sqlite:///{settings.folder}/appbuilder.sqlite",
    RATELIMIT_ENABLED=False,
    AUTH_TYPE=AUTH_OAUTH,
    AUTH_USER_REGISTRATION=True,
    AUTH_USER_REGISTRATION_ROLE="Public",
    OAUTH_PROVIDERS=[{
        "name": "latch",
        "icon": "fa-key",
        "token_key": "access_token",
        "remote_app": {
            "client_id": settings.client_id,
            "client_secret": settings.client_secret,
            "server_metadata_url": settings.discovery,
            "client_kwargs": {
                "scope": "openid email profile", **({"code_challenge_method": "S256"} if settings.has_pkce else {}),
            },
        },
    }],
)
db = get_sqla_class()()
db.init_app(app)
with app.app_context():
    AppBuilder(app, db.session, security_manager_class=Manager)


@app.route("/user")
def user():
    if not current_user.is_authenticated:
        return jsonify({})
    return jsonify({"email": current_user.email, "preferred_username": current_user.username})


party.serve(app, settings, ["flask-appbuilder"])
