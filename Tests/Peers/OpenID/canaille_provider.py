# SPDX-License-Identifier: Apache-2.0
"""Canaille, an identity provider with pages of its own, over SQLite; run as a program, it serves it."""

import os
import sys
from importlib.metadata import version

import peer


def prepare(settings):
    discovery = settings.origin + "/.well-known/openid-configuration"
    return peer.Provider(
        version=version("canaille"),
        issuer=settings.origin,
        command=[sys.executable, __file__, settings.write()],
        environment={"AUTHLIB_INSECURE_TRANSPORT": "1"},
        ready=discovery,
        discovery=discovery,
        quirks=[
            "signs ID tokens with RS512",
            "answers a second token request for the same user and client in the same second with 500, and changes nothing",
            "issues a refresh token without offline_access",
            "consent is kept with the account, and not asked again in another browser",
            "a logout needs client_id, too: the audience of the ID token is a list",
        ],
    )


def configuration(settings):
    return {
        "SECRET_KEY": settings.confidential["client_secret"][::-1],
        "SERVER_NAME": settings.origin.removeprefix("http://"),
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {
            "DATABASE": "sql", "NAME": "Canaille", "JAVASCRIPT": False, "HTMX": False, "ENABLE_REGISTRATION": False,
            "LOGGING": {
                "version": 1,
                "handlers": {"console": {"class": "logging.StreamHandler"}},
                "root": {"handlers": ["console"], "level": "WARNING"},
                "disable_existing_loggers": False,
            },
        },
        # Its memory backend finds a code by the code or the client, whichever matches, and thus others than the one asked for.
        "CANAILLE_SQL": {
            "DATABASE_URI": "sqlite:///" + settings.path("database.sqlite"),
            "PASSWORD_HASH_PARAMS": {"pbkdf2_sha512__rounds": 1000},
        },
        # Clients of trusted domains, which 127.0.0.1 is by default, would see no consent page.
        "CANAILLE_OIDC": {"TRUSTED_DOMAINS": [], "REQUIRE_NONCE": False},
    }


def fill(settings):
    from canaille.app import models
    from canaille.backends import Backend

    user = settings.user
    Backend.instance.save(models.User(
        user_name=user["name"], password=user["password"], emails=[user["email"]], formatted_name="Alice Example",
        given_name="Alice", family_name="Example", display_name=user["name"],
    ))
    for known in (settings.public, settings.confidential):
        client = models.Client(
            client_id=known["client_id"],
            client_name=known["client_id"],
            client_secret=known.get("client_secret"),
            redirect_uris=settings.redirects,
            post_logout_redirect_uris=settings.post_logouts,
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            scope=peer.SCOPES,
            token_endpoint_auth_method="client_secret_basic" if "client_secret" in known else "none",
        )
        Backend.instance.save(client)
        # A token for several clients would have to name the one that it was issued to, and canaille cannot.
        client.audience = [client]
        Backend.instance.save(client)


def main():
    os.environ.setdefault("AUTHLIB_INSECURE_TRANSPORT", "1")
    from canaille import create_app

    settings = peer.Settings.read(sys.argv[1])
    app = create_app(config=configuration(settings))
    with app.app_context():
        from canaille.backends import Backend

        with Backend.instance.session():
            fill(settings)
    peer.serve(app, settings)


if __name__ == "__main__":
    main()
