# SPDX-License-Identifier: Apache-2.0
"""An API whose access tokens three libraries verify: PyJWT with PyJWKClient, joserfc, and Authlib, whose validators are one of RFC
9068 and one that asks the server (RFC 7662)."""

import json
import secrets

import jwt
import party
import requests
from authlib.integrations.flask_oauth2 import ResourceProtector, current_token
from authlib.oauth2.rfc7662 import IntrospectTokenValidator
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
from flask import Flask, jsonify, request
from joserfc import jwt as joserfc_jwt
from joserfc.jwk import KeySet

settings = party.read()
metadata = requests.get(settings.discovery, timeout=20).json()
audience = settings.others["audience"]
app = Flask(__name__)
app.secret_key = secrets.token_bytes(32)
keys = jwt.PyJWKClient(metadata["jwks_uri"])


class Validator(JWTBearerTokenValidator):
    def get_jwks(self):
        return requests.get(metadata["jwks_uri"], timeout=20).json()


protector = ResourceProtector()
protector.register_token_validator(Validator(issuer=settings.issuer, resource_server=audience))


class Introspection(IntrospectTokenValidator):
    def introspect_token(self, token):
        response = requests.post(
            metadata["introspection_endpoint"], {"token": token, "token_type_hint": "access_token"}, timeout=20,
            auth=(settings.client_id, settings.client_secret),
        )
        response.raise_for_status()
        return response.json()


asker = ResourceProtector()
asker.register_token_validator(Introspection())


def bearer():
    return request.headers["Authorization"].removeprefix("Bearer ")


@app.route("/pyjwt")
def pyjwt():
    algorithms = json.loads(request.args["algorithms"])
    try:
        key = keys.get_signing_key_from_jwt(bearer())
        return jsonify(jwt.decode(bearer(), key.key, algorithms=algorithms, audience=audience, issuer=settings.issuer))
    except jwt.PyJWTError as error:
        return jsonify({"error": f"{type(error).__name__}: {error}"}), 401


@app.route("/joserfc")
def joserfc():
    try:
        found = requests.get(metadata["jwks_uri"], timeout=20).json()
        token = joserfc_jwt.decode(bearer(), KeySet.import_key_set(found), algorithms=json.loads(request.args["algorithms"]))
        joserfc_jwt.JWTClaimsRegistry(
            iss={"essential": True, "value": settings.issuer}, aud={"essential": True, "value": audience}
        ).validate(token.claims)
        return jsonify(token.claims)
    except Exception as error:
        return jsonify({"error": f"{type(error).__name__}: {error}"}), 401


@app.route("/authlib")
@protector("notes:read")
def authlib():
    return jsonify(dict(current_token))


@app.route("/introspection")
@asker("notes:read")
def introspection():
    return jsonify(dict(current_token))


@app.route("/authlib/user")
@protector()
def authlib_user():
    return jsonify(dict(current_token))


if __name__ == "__main__":
    party.serve(app, settings, ["pyjwt", "joserfc", "authlib"])
