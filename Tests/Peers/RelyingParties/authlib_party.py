# SPDX-License-Identifier: Apache-2.0
"""Authlib's client for Flask, as its guide registers an OpenID Connect provider: metadata, client, scope."""

import secrets
import time

import party
from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify, redirect, session, url_for

settings = party.read()
app = Flask(__name__)
app.secret_key = secrets.token_bytes(32)
# Beside the session's cookie, which has no room for them.
kept = {}


def keep(name, token, refresh_token=None, access_token=None):
    kept["token"] = {**kept["token"], **token}


oauth = OAuth(app, update_token=keep, fetch_token=lambda name: kept["token"])
oauth.register(
    "latch",
    client_id=settings.client_id,
    client_secret=settings.client_secret,
    server_metadata_url=settings.discovery,
    client_kwargs={
        "scope": "openid profile email offline_access", **({"code_challenge_method": "S256"} if settings.has_pkce else {}),
    },
)


@app.route("/login")
def login():
    return oauth.latch.authorize_redirect(url_for("callback", _external=True))


@app.route("/callback")
def callback():
    kept["token"] = oauth.latch.authorize_access_token()
    session["user"] = kept["token"]["userinfo"]["sub"]
    return redirect("/user")


@app.route("/user")
def user():
    claims = oauth.latch.userinfo()
    if claims["sub"] != session["user"]:
        raise ValueError("userinfo is another user's")
    return jsonify(party.chosen(claims))


@app.route("/refresh")
def refresh():
    """Uses a token that has expired, which the library then replaces."""
    old = dict(kept["token"])
    kept["token"]["expires_at"] = int(time.time()) - 1
    claims = oauth.latch.userinfo()
    names = ("access_token", "refresh_token")
    return jsonify({"new": [name for name in names if kept["token"][name] != old[name]], **party.chosen(claims)})


@app.route("/logout")
def logout():
    session.clear()
    return oauth.latch.logout_redirect(
        post_logout_redirect_uri=url_for("goodbye", _external=True), id_token_hint=kept.pop("token")["id_token"]
    )


@app.route("/goodbye")
def goodbye():
    oauth.latch.validate_logout_response()
    return "goodbye"


party.serve(app, settings, ["authlib"])
