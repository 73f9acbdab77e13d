# SPDX-License-Identifier: Apache-2.0
"""requests-oauthlib as its guide has it: the web application flow, the automatic refresh, and the backend application flow."""

import time

import party
import requests
from flask import Flask, jsonify, redirect, request
from oauthlib.oauth2 import BackendApplicationClient
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

settings = party.read()
metadata = requests.get(settings.discovery, timeout=20).json()
app = Flask(__name__)
SCOPE = ["openid", "email", "profile", "offline_access"]
kept = {}


def open_session(**options):
    pkce = "S256" if settings.has_pkce else None
    return OAuth2Session(settings.client_id, redirect_uri=settings.origin + "/callback", scope=SCOPE, pkce=pkce, **options)


@app.route("/login")
def login():
    # One object for both steps, as in the guide: it keeps the state, and the verifier of PKCE.
    kept["client"] = open_session()
    url, _ = kept["client"].authorization_url(metadata["authorization_endpoint"])
    return redirect(url)


@app.route("/callback")
def callback():
    kept["token"] = kept.pop("client").fetch_token(
        metadata["token_endpoint"], client_secret=settings.client_secret, authorization_response=request.url
    )
    return redirect("/user")


@app.route("/user")
def user():
    claims = open_session(token=kept["token"]).get(metadata["userinfo_endpoint"]).json()
    return jsonify(party.chosen(claims))


@app.route("/refresh")
def refresh():
    """Uses a token that has expired, as the guide tries the automatic refresh."""
    old = kept["token"]
    kept["token"] = {**old, "expires_at": time.time() - 10}
    client = open_session(
        token=kept["token"], auto_refresh_url=metadata["token_endpoint"], token_updater=lambda token: kept.update(token=token),
        auto_refresh_kwargs={"client_id": settings.client_id, "client_secret": settings.client_secret},
    )
    claims = client.get(metadata["userinfo_endpoint"]).json()
    names = ("access_token", "refresh_token")
    return jsonify({"new": [name for name in names if kept["token"][name] != old[name]], **party.chosen(claims)})


@app.route("/machine")
def machine():
    """Gets a token for the program itself."""
    robot, secret = settings.others["robot"]
    client = OAuth2Session(client=BackendApplicationClient(client_id=robot, scope=["notes:read"]))
    token = client.fetch_token(metadata["token_endpoint"], auth=HTTPBasicAuth(robot, secret))
    return jsonify({"access_token": token["access_token"], "scope": token["scope"]})


party.serve(app, settings, ["requests-oauthlib", "oauthlib"])
