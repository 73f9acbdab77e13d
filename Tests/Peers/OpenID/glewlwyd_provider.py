# SPDX-License-Identifier: Apache-2.0
"""glewlwyd, Debian's single-sign-on server in C with a login page in JavaScript, over SQLite and set up over its own API."""

import gzip
import json
import secrets
import shutil
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import peer

WEB = Path("/usr/share/glewlwyd/webapp")
# In Debian's package a folder that stands where the pages look for a file.
WEB_CONFIGURATION = Path("/etc/glewlwyd/config-2.7.json/config.json")
TABLES = Path("/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")
MODULES = "/usr/lib/glewlwyd"
PLUGIN = "oidc"
# The administrator of a new database, whose password is replaced immediately.
ADMINISTRATOR = {"username": "admin", "password": "password"}


def prepare(settings):
    program = shutil.which("glewlwyd")
    if not program:
        sys.exit("provider: there is no glewlwyd\nhint: Scripts/setup --interop installs it")
    fill(settings)
    issuer = f"{settings.origin}/api/{PLUGIN}"
    return peer.Provider(
        version=installed_version(),
        issuer=issuer,
        command=[program, "--config-file", write_configuration(settings)],
        environment={},
        ready=settings.origin + "/config",
        discovery=issuer + "/.well-known/openid-configuration",
        after=lambda: set_up(settings, issuer),
        quirks=[
            "answers a refused refresh, and a bad access token, without a body",
            "answers a bad code with 403 invalid_code, and a wrong secret with 403 unauthorized_client",
            "a code or a refresh token that is used twice revokes the tokens issued with it",
            "issues a refresh token without offline_access",
            "needs id_token_hint for prompt=none",
            "does not decode percent-encoded client credentials",
            "has no button to refuse consent",
            "consent is kept with the account, and not asked again in another browser",
            "revoking a refresh token leaves the access token valid",
        ],
    )


def installed_version():
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "glewlwyd"], capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def fill(settings):
    """Writes an empty database, and the pages with a configuration that is a file."""
    with gzip.open(TABLES, "rt") as file, sqlite3.connect(settings.path("database.sqlite")) as database:
        database.executescript(file.read())
        # The client's property that the OpenID plugin reads; the tables of the package have it without its last letter.
        row = "FROM g_client_module_instance WHERE gcmi_name = 'database'"
        known = json.loads(database.execute(f"SELECT gcmi_parameters {row}").fetchone()[0])
        known["data-format"]["post_logout_redirect_uris"] = {"multiple": True, "read": True, "write": True}
        database.execute("UPDATE g_client_module_instance SET gcmi_parameters = ?", [json.dumps(known)])
    database.close()
    Path(settings.path("none")).mkdir()
    pages = Path(settings.path("pages"))
    shutil.copytree(WEB, pages, ignore=shutil.ignore_patterns("config.json", "admin.js", "profile.js"))
    shutil.copy(WEB_CONFIGURATION, pages / "config.json")


def write_configuration(settings):
    types = {
        "html": "text/html", "css": "text/css", "js": "application/javascript", "json": "application/json",
        "png": "image/png", "woff2": "font/woff2", "ico": "image/x-icon",
    }
    lines = [f'{{ extension = ".{end}", mime_type = "{kind}", compress = 0 }}' for end, kind in types.items()]
    values = {
        "port": settings.port,
        "bind_address": "127.0.0.1",
        "external_url": settings.origin,
        "login_url": "login.html",
        "api_prefix": "api",
        "static_files_path": settings.path("pages"),
        "allow_origin": "*",
        "log_mode": "console",
        "log_level": "ERROR",
        "cookie_domain": "127.0.0.1",
        "cookie_secure": 0,
        "cookie_same_site": "empty",
        "session_expiration": 2419200,
        "session_key": "GLEWLWYD2_SESSION_ID",
        "admin_scope": "g_admin",
        "profile_scope": "g_profile",
        "user_module_path": f"{MODULES}/user",
        "user_middleware_module_path": settings.path("none"),
        "client_module_path": f"{MODULES}/client",
        "user_auth_scheme_module_path": f"{MODULES}/scheme",
        "plugin_module_path": f"{MODULES}/plugin",
        "hash_algorithm": "SHA512",
    }
    path = settings.path("glewlwyd.conf")
    with open(path, "w") as file:
        file.writelines(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
        file.write(f'database = {{ type = "sqlite3", path = "{settings.path("database.sqlite")}" }};\n')
        file.write(f"static_files_mime_types = ( {', '.join(lines)} )\n")
    return path


class API:
    """glewlwyd's administration, with the cookie of its administrator."""

    def __init__(self, origin):
        self.base, self.cookie = origin + "/api/", ""
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def send(self, path, body, method="POST"):
        request = urllib.request.Request(
            self.base + path, json.dumps(body).encode(),
            {"Content-Type": "application/json", "Cookie": self.cookie}, method=method,
        )
        try:
            with self.opener.open(request, timeout=10) as response:
                response.read()
                # A cookie jar refuses this one, whose domain is an address.
                self.cookie = response.headers.get("Set-Cookie", self.cookie).partition(";")[0]
        except urllib.error.HTTPError as error:
            sys.exit(f"provider: glewlwyd answered {method} {path} with {error.code}: {error.read().decode()}")


def set_up(settings, issuer):
    api = API(settings.origin)
    api.send("auth/", ADMINISTRATOR)
    api.send("user/admin", {"name": "Administrator", "password": secrets.token_urlsafe(18), "scope": ["g_admin"]}, "PUT")
    for name in peer.SCOPES[1:]:
        api.send("scope/", {"name": name, "display_name": name, "password_required": True, "scheme": {}})
    api.send("scope/openid", {"display_name": "openid", "password_required": True, "scheme": {}}, "PUT")
    user = settings.user
    api.send("user/", {
        "username": user["name"], "password": user["password"], "email": user["email"], "name": "Alice Example",
        "scope": peer.SCOPES, "enabled": True,
    })
    for client in (settings.public, settings.confidential):
        api.send("client/", client_of(settings, client))
    api.send("mod/plugin/", {
        "module": "oidc", "name": PLUGIN, "display_name": "OpenID Connect", "enabled": True,
        "parameters": parameters(issuer),
    })


def client_of(settings, known):
    is_confidential = "client_secret" in known
    client = {
        "client_id": known["client_id"], "name": known["client_id"], "enabled": True, "confidential": is_confidential,
        "redirect_uri": settings.redirects, "authorization_type": ["code", "refresh_token"], "scope": [],
        "token_endpoint_auth_method": ["client_secret_basic" if is_confidential else "none"],
        "post_logout_redirect_uris": settings.post_logouts,
    }
    return {**client, "client_secret": known["client_secret"]} if is_confidential else client


def parameters(issuer):
    """The settings of the OpenID plugin: codes with PKCE, refresh tokens that are used once, keys for ES256."""
    from joserfc.jwk import ECKey, KeySet

    key = ECKey.generate_key("P-256", {"kid": "key-1", "alg": "ES256", "use": "sig"}, auto_kid=False)
    allowed = {f"auth-type-{name}-enabled": name in ("code", "refresh", "id-token") for name in (
        "code", "token", "id-token", "none", "password", "client", "device", "refresh")}
    return {
        "iss": issuer,
        "subject-type": "public",
        "allowed-scope": peer.SCOPES,
        "jwks-private": json.dumps(KeySet([key]).as_dict(private=True)),
        "default-kid": "key-1",
        "jwks-show": True,
        "access-token-duration": 3600,
        "refresh-token-duration": 1209600,
        "code-duration": 600,
        "refresh-token-rolling": True,
        "refresh-token-one-use": "always",
        "allow-non-oidc": True,
        **allowed,
        "auth-type-code-revoke-replayed": True,
        "scope": [{"name": "offline_access", "refresh-token": True}],
        "additional-parameters": [],
        "claims": [],
        "name-claim": "on-demand",
        "name-claim-scope": ["profile"],
        "email-claim": "on-demand",
        "email-claim-scope": ["email"],
        "scope-claim": "no",
        "pkce-allowed": True,
        "pkce-method-plain-allowed": False,
        "introspection-revocation-allowed": True,
        "introspection-revocation-auth-scope": [],
        "introspection-revocation-allow-target-client": True,
        "session-management-allowed": True,
        "front-channel-logout-allowed": True,
        "back-channel-logout-allowed": True,
        "session-cookie-name": "GLEWLWYD2_OIDC_SID",
        "session-cookie-expiration": 2419200,
        "oauth-as-iss-id": True,
        "register-client-allowed": False,
        "request-parameter-allow": False,
        "service-documentation": "https://example.org/",
        "op-policy-uri": "",
        "op-tos-uri": "",
    }
