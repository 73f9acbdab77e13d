# SPDX-License-Identifier: Apache-2.0
"""mozilla-django-oidc as its quick start has it, with the two lines for RS256 and its middleware that renews a session silently."""

import django_site
import party
import requests

settings = party.read()
metadata = requests.get(settings.discovery, timeout=20).json()


def end_session(request):
    """Where the library sends the browser after its own logout (OIDC_OP_LOGOUT_URL_METHOD)."""
    from urllib.parse import urlencode

    hint = {"id_token_hint": request.session["oidc_id_token"], "post_logout_redirect_uri": settings.origin + "/goodbye"}
    return f"{metadata['end_session_endpoint']}?{urlencode(hint)}"


django_site.configure(
    settings,
    ["mozilla_django_oidc"],
    middleware=["mozilla_django_oidc.middleware.SessionRefresh"],
    backends=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    OIDC_RP_CLIENT_ID=settings.client_id,
    OIDC_RP_CLIENT_SECRET=settings.client_secret,
    OIDC_OP_AUTHORIZATION_ENDPOINT=metadata["authorization_endpoint"],
    OIDC_OP_TOKEN_ENDPOINT=metadata["token_endpoint"],
    OIDC_OP_USER_ENDPOINT=metadata["userinfo_endpoint"],
    OIDC_RP_SIGN_ALGO="ES256" if settings.has_pkce else "RS256",
    OIDC_OP_JWKS_ENDPOINT=metadata["jwks_uri"],
    OIDC_USE_PKCE=settings.has_pkce,
    LOGOUT_REDIRECT_URL="/goodbye",
    OIDC_STORE_ID_TOKEN=True,
    OIDC_OP_LOGOUT_URL_METHOD="__main__.end_session",
    # 15 minutes, if it is not set.
    OIDC_RENEW_ID_TOKEN_EXPIRY_SECONDS=4,
)

from django.http import HttpResponse, JsonResponse
from django.urls import include, path


def user(request):
    if not request.user.is_authenticated:
        return JsonResponse({})
    return JsonResponse({"email": request.user.email, "renewed": request.session["oidc_id_token_expiration"]})


urlpatterns = [
    path("oidc/", include("mozilla_django_oidc.urls")),
    path("user", user),
    path("logout", lambda request: django_site.form(request, "/oidc/logout/", "logout")),
    path("goodbye", lambda request: HttpResponse("goodbye")),
]
if __name__ == "__main__":
    party.serve(django_site.application(), settings, ["mozilla-django-oidc", "django"])
