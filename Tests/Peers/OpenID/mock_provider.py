# SPDX-License-Identifier: Apache-2.0
"""oidc-provider-mock, a peer that is too lenient: its page takes any user without a password, and PKCE is not checked."""

import json
import sys
import urllib.request
from importlib.metadata import version

import peer


def prepare(settings):
    discovery = settings.origin + "/.well-known/openid-configuration"
    user = settings.user
    claims = {
        "sub": user["name"], "email": user["email"], "name": "Alice Example", "preferred_username": user["name"],
    }
    return peer.Provider(
        version=version("oidc-provider-mock"),
        issuer=settings.origin,
        command=[
            sys.executable, "-m", "oidc_provider_mock", "--port", str(settings.port), "--require-registration", "true",
            "--user-claims", json.dumps(claims),
        ],
        environment={"NO_COLOR": "1"},
        ready=discovery,
        discovery=discovery,
        after=lambda: register_client(settings),
        quirks=[
            "takes any user name, without a password",
            "does not check the verifier of PKCE",
            "has no public clients: the token endpoint wants a secret",
            "a refresh returns no new refresh token",
            "announces neither introspection nor revocation",
            "refused consent comes back without state",
            "a bad access token is 400 without a challenge",
            "prompt=none is always login_required",
            "a logout ends nothing, and returns to any address",
        ],
    )


def register_client(settings):
    """Registers the confidential client; its name and secret are the provider's choice (RFC 7591)."""
    body = {
        "redirect_uris": settings.redirects,
        "token_endpoint_auth_method": "client_secret_basic",
        "scope": " ".join(peer.SCOPES),
    }
    request = urllib.request.Request(
        settings.origin + "/oauth2/clients", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as response:
        registered = json.load(response)
    # A client without a secret is registered, too, but the token endpoint then refuses it.
    settings.public = None
    settings.confidential = {key: registered[key] for key in ("client_id", "client_secret")}
