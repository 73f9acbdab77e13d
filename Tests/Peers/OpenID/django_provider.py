# SPDX-License-Identifier: Apache-2.0
"""django-oauth-toolkit in a Django project with Django's own login page; run as a program, it serves that project."""

import subprocess
import sys
from importlib.metadata import version

import peer

PREFIX = "/o"
# The names of the claims in userinfo and ID tokens come from a class that Django finds by its path.
VALIDATOR = "django_provider.validator_class"


def prepare(settings):
    key = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
        check=True, capture_output=True, text=True,
    ).stdout
    with open(settings.path("key.pem"), "w") as file:
        file.write(key)
    issuer = settings.origin + PREFIX
    discovery = issuer + "/.well-known/openid-configuration"
    return peer.Provider(
        version=version("django-oauth-toolkit"),
        issuer=issuer,
        command=[sys.executable, __file__, settings.write()],
        environment={},
        ready=discovery,
        discovery=discovery,
        quirks=[
            "allows any port of a registered loopback address",
            "issues a refresh token without offline_access",
            "a refresh token that is used twice revokes its family",
            "asks the user before a logout without id_token_hint",
            "announces introspection and revocation in the metadata of RFC 8414 alone",
            "answers prompt=none with 500 unless the site implements two methods",
        ],
    )


def login_page():
    return """{% load i18n %}<!DOCTYPE html><title>Log in</title><form method="post">{% csrf_token %}
{{ form.as_p }}<button type="submit">Log in</button></form>"""


def configure(settings):
    from django.conf import settings as django_settings

    with open(settings.path("key.pem")) as file:
        key = file.read()
    django_settings.configure(
        SECRET_KEY=settings.confidential["client_secret"][::-1],
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        LOGIN_URL="/login/",
        LOGIN_REDIRECT_URL="/login/",
        USE_TZ=True,
        LOGGING={
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {"console": {"class": "logging.StreamHandler"}},
            "root": {"handlers": ["console"], "level": "WARNING"},
        },
        DATABASES={"default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": settings.path("database.sqlite"),
            "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
        }},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        # A test signs in often, and nobody attacks this password.
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
            "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": [
                "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]},
        }],
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": key,
            "OIDC_ISS_ENDPOINT": settings.origin + PREFIX,
            "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
            "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
            "OAUTH2_VALIDATOR_CLASS": VALIDATOR,
            "SCOPES": {name: name for name in [*peer.SCOPES, "introspection"]},
            "DEFAULT_SCOPES": ["openid"],
            "PKCE_REQUIRED": True,
            "ROTATE_REFRESH_TOKEN": True,
            "REFRESH_TOKEN_REUSE_PROTECTION": True,
            "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
            "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        },
    )


def fill(settings):
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from oauth2_provider.models import get_application_model

    call_command("migrate", verbosity=0, interactive=False)
    user = settings.user
    User.objects.create_user(user["name"], user["email"], user["password"], first_name="Alice", last_name="Example")
    kinds = {"public": settings.public, "confidential": settings.confidential}
    for kind, client in kinds.items():
        get_application_model().objects.create(
            name=client["client_id"],
            client_id=client["client_id"],
            client_secret=client.get("client_secret", ""),
            client_type=kind,
            authorization_grant_type="authorization-code",
            redirect_uris=" ".join(settings.redirects),
            post_logout_redirect_uris=" ".join(settings.post_logouts),
            algorithm="RS256",
        )


def __getattr__(name):
    # Django looks both up in this module by their names; they need packages that only the server has imported.
    if name == "urlpatterns":
        return url_patterns()
    if name == "validator_class":
        return validator()
    raise AttributeError(name)


def url_patterns():
    from django.contrib.auth.views import LoginView
    from django.http import HttpResponse
    from django.template import engines
    from django.urls import include, path
    from oauth2_provider.urls import metadata_urlpatterns

    class Login(LoginView):
        def render_to_response(self, context, **_):
            return HttpResponse(engines["django"].from_string(login_page()).render(context, self.request))

    # RFC 8414 §3.1: the metadata of an issuer with a path is below the origin's .well-known.
    return [
        path("login/", Login.as_view()),
        path("", include((metadata_urlpatterns, "metadata"))),
        path(PREFIX[1:] + "/", include("oauth2_provider.urls")),
    ]


def validator():
    from oauth2_provider.oauth2_validators import OAuth2Validator

    class Validator(OAuth2Validator):
        oidc_claim_scope = {**OAuth2Validator.oidc_claim_scope, "preferred_username": "profile"}

        def get_additional_claims(self):
            return {
                "name": lambda request: request.user.get_full_name(),
                "preferred_username": lambda request: request.user.get_username(),
                "email": lambda request: request.user.email,
            }

    return Validator


def main():
    settings = peer.Settings.read(sys.argv[1])
    sys.modules["django_provider"] = sys.modules[__name__]
    configure(settings)
    import django
    from django.core.wsgi import get_wsgi_application

    django.setup()
    fill(settings)
    peer.serve(get_wsgi_application(), settings)


if __name__ == "__main__":
    main()
