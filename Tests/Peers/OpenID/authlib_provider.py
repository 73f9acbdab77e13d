# SPDX-License-Identifier: Apache-2.0
"""Authlib's authorization server in Flask, with a login page and a memory that are the test's; run as a program, it serves it.

What answers at the endpoints is Authlib: grants, PKCE, ID tokens, userinfo, revocation, introspection, logout, RFC 9207.
"""

import os
import secrets
import sys
import time
from importlib.metadata import version

import peer

ACCESS_TOKEN_SECONDS = 600
METHODS = ["client_secret_basic", "none"]
PAGE = """<!DOCTYPE html><title>{{ title }}</title><h1>{{ title }}</h1><form method="post">{{ fields|safe }}</form>"""
LOGIN = """<input name="username"><input name="password" type="password"><button type="submit">Sign in</button>"""
CONSENT = """<button name="allow" value="1">Allow</button><button name="deny" value="1">Deny</button>"""
LOGOUT = """<button name="logout" value="1">Sign out</button>"""


def prepare(settings):
    discovery = settings.origin + "/.well-known/openid-configuration"
    return peer.Provider(
        version=version("authlib"),
        issuer=settings.origin,
        command=[sys.executable, __file__, settings.write()],
        environment={"AUTHLIB_INSECURE_TRANSPORT": "1"},
        ready=discovery,
        discovery=discovery,
        quirks=[
            "a logout needs client_id, too: the audience of the ID token is a list",
            "issues a refresh token without offline_access",
            "login page and storage are the test's, the protocol is Authlib's",
        ],
    )


class Client:
    """A client as Authlib's ClientMixin describes it."""

    def __init__(self, settings, known):
        self.client_id = known["client_id"]
        self.secret = known.get("client_secret")
        self.client_metadata = {
            "redirect_uris": settings.redirects,
            "post_logout_redirect_uris": settings.post_logouts,
            "token_endpoint_auth_method": "client_secret_basic" if self.secret else "none",
        }

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(name for name in (scope or "").split() if name in peer.SCOPES)

    def check_redirect_uri(self, uri):
        return uri in self.client_metadata["redirect_uris"]

    def check_client_secret(self, secret):
        return self.secret is not None and secrets.compare_digest(self.secret, secret)

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.client_metadata["token_endpoint_auth_method"]

    def check_response_type(self, kind):
        return kind == "code"

    def check_grant_type(self, kind):
        return kind in ("authorization_code", "refresh_token")


class Code:
    def __init__(self, code, request, user):
        payload = request.payload
        self.code, self.client_id, self.user = code, request.client.client_id, user
        self.redirect_uri, self.scope = payload.redirect_uri, request.scope
        self.nonce = payload.data.get("nonce")
        self.code_challenge = payload.data.get("code_challenge")
        self.code_challenge_method = payload.data.get("code_challenge_method")
        self.auth_time = int(time.time())

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return self.auth_time

    def get_acr(self):
        return None

    def get_amr(self):
        return ["pwd"]


class Token:
    def __init__(self, response, client, user):
        self.client, self.user = client, user
        self.access_token, self.refresh_token = response["access_token"], response.get("refresh_token")
        self.scope = response.get("scope", "")
        self.issued_at, self.expires_in = int(time.time()), response["expires_in"]
        self.access_ended = self.refresh_ended = False

    def check_client(self, client):
        return client.client_id == self.client.client_id

    def get_client(self):
        return self.client

    def get_user(self):
        return self.user

    def get_scope(self):
        return self.scope

    def get_expires_in(self):
        return self.expires_in

    def is_expired(self):
        return self.issued_at + self.expires_in < time.time()

    def is_revoked(self):
        return self.access_ended


class User(dict):
    def get_user_id(self):
        return self["sub"]


class Memory:
    """Everything that the server keeps."""

    def __init__(self, settings):
        from joserfc.jwk import KeySet, RSAKey

        self.settings = settings
        self.clients = {known["client_id"]: Client(settings, known) for known in (settings.public, settings.confidential)}
        self.user = User(
            sub="user-1", name="Alice Example", preferred_username=settings.user["name"], email=settings.user["email"]
        )
        self.codes, self.tokens = {}, []
        self.key = RSAKey.generate_key(2048, {"kid": "key-1", "use": "sig", "alg": "RS256"}, auto_kid=False)
        self.keys = KeySet([self.key])

    def save_token(self, response, request):
        self.tokens.append(Token(response, request.client, request.user))

    def find(self, text, hint=None):
        return next((token for token in self.tokens if text and text in (token.access_token, token.refresh_token)), None)

    def revoke(self, token):
        token.access_ended = token.refresh_ended = True


def register_grants(server, memory):
    """Registers the grants, with what each of them reads and writes."""
    from authlib.oauth2.rfc6749 import grants
    from authlib.oauth2.rfc7636 import CodeChallenge
    from authlib.oidc.core import OpenIDCode, UserInfo

    issuer = memory.settings.origin

    class CodeGrant(grants.AuthorizationCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = METHODS

        def save_authorization_code(self, code, request):
            memory.codes[code] = Code(code, request, request.user)

        def query_authorization_code(self, code, client):
            found = memory.codes.get(code)
            return found if found and found.client_id == client.client_id else None

        def delete_authorization_code(self, code):
            memory.codes.pop(code.code, None)

        def authenticate_user(self, code):
            return code.user

    class OpenID(OpenIDCode):
        def exists_nonce(self, nonce, request):
            return False

        def get_jwt_config(self, grant, client):
            return {"key": memory.key, "alg": "RS256", "iss": issuer, "exp": ACCESS_TOKEN_SECONDS}

        def generate_user_info(self, user, scope):
            return UserInfo(user).filter(scope)

    class RefreshGrant(grants.RefreshTokenGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = METHODS
        INCLUDE_NEW_REFRESH_TOKEN = True

        def authenticate_refresh_token(self, text):
            found = memory.find(text)
            return found if found and text == found.refresh_token and not found.refresh_ended else None

        def authenticate_user(self, token):
            return token.user

        def revoke_old_credential(self, token):
            memory.revoke(token)

    server.register_grant(CodeGrant, [OpenID(require_nonce=False), CodeChallenge(required=True)])
    server.register_grant(RefreshGrant)


def register_endpoints(server, memory):
    """Registers revocation, introspection, and the issuer in authorization responses."""
    from authlib.oauth2.rfc7009 import RevocationEndpoint
    from authlib.oauth2.rfc7662 import IntrospectionEndpoint
    from authlib.oauth2.rfc9207 import IssuerParameter

    issuer = memory.settings.origin

    class Revocation(RevocationEndpoint):
        CLIENT_AUTH_METHODS = METHODS

        def query_token(self, text, hint):
            return memory.find(text, hint)

        def revoke_token(self, token, request):
            memory.revoke(token)

    class Introspection(IntrospectionEndpoint):
        def check_permission(self, token, client, request):
            return True

        def query_token(self, text, hint):
            return memory.find(text, hint)

        def introspect_token(self, token):
            return {
                "client_id": token.client.client_id, "sub": token.user["sub"], "scope": token.scope, "iss": issuer,
                "iat": token.issued_at, "exp": token.issued_at + token.expires_in, "token_type": "Bearer",
            }

    class Issuer(IssuerParameter):
        def get_issuer(self):
            return issuer

    server.register_endpoint(Revocation)
    server.register_endpoint(Introspection)
    server.register_extension(Issuer())


def register_openid(server, memory):
    from authlib.integrations.flask_oauth2 import ResourceProtector
    from authlib.oauth2.rfc6750 import BearerTokenValidator
    from authlib.oidc.core import UserInfo, UserInfoEndpoint
    from authlib.oidc.rpinitiated import EndSessionEndpoint
    from flask import session

    class AccessTokens(BearerTokenValidator):
        def authenticate_token(self, text):
            found = memory.find(text)
            return found if found and text == found.access_token else None

    class Information(UserInfoEndpoint):
        def generate_user_info(self, user, scope):
            return UserInfo(user).filter(scope)

        def get_issuer(self):
            return memory.settings.origin

    class EndSession(EndSessionEndpoint):
        def get_server_jwks(self):
            return memory.keys

        def end_session(self, request):
            session.clear()

    protector = ResourceProtector()
    protector.register_token_validator(AccessTokens())
    server.register_endpoint(Information(resource_protector=protector))
    server.register_endpoint(EndSession)


def metadata(origin):
    return {
        "issuer": origin,
        "authorization_endpoint": f"{origin}/authorize",
        "token_endpoint": f"{origin}/token",
        "userinfo_endpoint": f"{origin}/userinfo",
        "revocation_endpoint": f"{origin}/revoke",
        "introspection_endpoint": f"{origin}/introspect",
        "end_session_endpoint": f"{origin}/logout",
        "jwks_uri": f"{origin}/keys",
        "scopes_supported": peer.SCOPES,
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }


def application(settings):
    import flask
    from authlib.integrations.flask_oauth2 import AuthorizationServer

    app, memory = flask.Flask(__name__), Memory(settings)
    app.secret_key = secrets.token_bytes(32)
    app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
    app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"authorization_code": ACCESS_TOKEN_SECONDS}
    server = AuthorizationServer(app, query_client=memory.clients.get, save_token=memory.save_token)
    for register in (register_grants, register_endpoints, register_openid):
        register(server, memory)
    add_pages(app, server, memory)
    endpoints = {
        "/.well-known/openid-configuration": (["GET"], lambda: metadata(settings.origin)),
        "/keys": (["GET"], lambda: memory.keys.as_dict(private=False)),
        "/token": (["POST"], server.create_token_response),
        "/revoke": (["POST"], lambda: server.create_endpoint_response("revocation")),
        "/introspect": (["POST"], lambda: server.create_endpoint_response("introspection")),
        "/userinfo": (["GET", "POST"], lambda: server.create_endpoint_response("userinfo")),
    }
    for path, (methods, view) in endpoints.items():
        app.add_url_rule(path, path.rpartition("/")[2], view, methods=methods)
    return app


def add_pages(app, server, memory):
    """Adds the pages that a user sees: login, consent and logout."""
    import flask
    from authlib.oauth2.rfc6749 import OAuth2Error

    account = memory.settings.user

    def page(title, fields):
        return flask.render_template_string(PAGE, title=title, fields=fields)

    @app.route("/authorize", methods=["GET", "POST"])
    def authorize():
        form, user = flask.request.form, memory.user if flask.session.get("user") else None
        try:
            grant = server.get_consent_grant(end_user=user)
        except OAuth2Error as error:
            return server.handle_error_response(server.create_oauth2_request(None), error)
        if "password" in form and signs_in(form):
            flask.session["user"] = True
            return page("Consent", CONSENT)
        # The library says which page prompt=login needs; that none needs no page is left to the application.
        if "deny" in form or user and ("allow" in form or flask.request.args.get("prompt") == "none"):
            return server.create_authorization_response(grant_user=None if "deny" in form else user, grant=grant)
        if not user or grant.prompt == "login":
            return page("Sign in", LOGIN)
        return page("Consent", CONSENT)

    def signs_in(form):
        return form["username"] == account["name"] and form["password"] == account["password"]

    @app.route("/logout", methods=["GET", "POST"])
    def logout():
        try:
            request = server.validate_endpoint_request("end_session")
        except OAuth2Error as error:
            return server.handle_error_response(None, error)
        if request.needs_confirmation and "logout" not in flask.request.form:
            return page("Sign out?", LOGOUT)
        return server.create_endpoint_response("end_session", request) or page("Signed out", "")


if __name__ == "__main__":
    os.environ.setdefault("AUTHLIB_INSECURE_TRANSPORT", "1")
    chosen = peer.Settings.read(sys.argv[1])
    peer.serve(application(chosen), chosen)
