# SPDX-License-Identifier: Apache-2.0
"""MSAL for Python with `oidc_authority`: the code flow with a response by POST, as its reference recommends, the cache, a
refresh, a sign-in with a code of another device, and a token for the program itself."""

import secrets
from concurrent.futures import ThreadPoolExecutor

import msal
import party
from flask import Flask, jsonify, redirect, request, session

settings = party.read()
app = Flask(__name__)
app.secret_key = secrets.token_bytes(32)
# The response comes from another site by POST.
app.config.update(SESSION_COOKIE_SAMESITE="None", SESSION_COOKIE_SECURE=True)
pool, waiting = ThreadPoolExecutor(1), {}
client = msal.ConfidentialClientApplication(
    settings.client_id, client_credential=settings.client_secret, oidc_authority=settings.issuer
)


def checked(result):
    if "error" in result:
        raise ValueError(f"{result['error']}: {result.get('error_description')}")
    return result


@app.route("/login")
def login():
    session["flow"] = client.initiate_auth_code_flow(
        ["email"], redirect_uri=settings.origin + "/callback", response_mode="form_post"
    )
    return redirect(session["flow"]["auth_uri"])


@app.route("/callback", methods=["POST"])
def callback():
    result = checked(client.acquire_token_by_auth_code_flow(session.pop("flow"), request.form))
    session["user"] = party.chosen(result["id_token_claims"])
    return redirect("/user")


@app.route("/user")
def user():
    account, = client.get_accounts()
    found = client.acquire_token_silent(["email"], account=account)
    return jsonify({**session["user"], "cached": found is not None})


@app.route("/refresh")
def refresh():
    account, = client.get_accounts()
    old = client.acquire_token_silent(["email"], account=account)
    new = checked(client.acquire_token_silent(["email"], account=account, force_refresh=True))
    return jsonify({"new": [name for name in ("access_token",) if new[name] != old[name]], **session["user"]})


@app.route("/device")
def device():
    """Begins a sign-in with a code, which the browser of a user confirms."""
    program = msal.PublicClientApplication("tv", oidc_authority=settings.issuer)
    flow = program.initiate_device_flow(["email"])
    waiting["device"] = pool.submit(program.acquire_token_by_device_flow, flow)
    return redirect(flow["verification_uri_complete"])


@app.route("/device/result")
def device_result():
    return jsonify(party.chosen(checked(waiting.pop("device").result(60))["id_token_claims"]))


@app.route("/machine")
def machine():
    robot, secret = settings.others["robot"]
    program = msal.ConfidentialClientApplication(robot, client_credential=secret, oidc_authority=settings.issuer)
    result = checked(program.acquire_token_for_client(["notes:read"]))
    return jsonify({"access_token": result["access_token"], "scope": result.get("scope")})


party.serve(app, settings, ["msal"])
