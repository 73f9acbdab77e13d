# SPDX-License-Identifier: Apache-2.0
"""A Django site with the settings that every package of the tests needs, over SQLite."""

import os
import secrets

import django
from django.conf import settings as django_settings


def configure(settings, apps, middleware=(), backends=(), **more):
    django_settings.configure(
        SECRET_KEY=secrets.token_hex(32),
        ALLOWED_HOSTS=["127.0.0.1"],
        DEBUG=False,
        ROOT_URLCONF="__main__",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(settings.folder, "site.sqlite")}},
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages", *apps,
        ],
        MIDDLEWARE=[
            "django.middleware.security.SecurityMiddleware",
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.common.CommonMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            *middleware,
        ],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": [
                "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]},
        }],
        AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.ModelBackend", *backends],
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
        LOGIN_REDIRECT_URL="/user",
        USE_TZ=True,
        LOGGING={
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {"console": {"class": "logging.StreamHandler"}},
            "root": {"handlers": ["console"], "level": "INFO"},
        },
        **more,
    )
    django.setup()


def application():
    """The site, after its tables have been made."""
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    call_command("migrate", verbosity=0)
    return get_wsgi_application()


def form(request, action, label):
    """A page with a button."""
    from django.http import HttpResponse
    from django.middleware.csrf import get_token

    return HttpResponse(
        f'<form method="post" action="{action}"><input type="hidden" name="csrfmiddlewaretoken" '
        f'value="{get_token(request)}"><button>{label}</button></form>'
    )
