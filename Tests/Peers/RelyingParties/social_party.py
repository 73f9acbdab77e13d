# SPDX-License-Identifier: Apache-2.0
"""social-auth for Django with its generic OpenID Connect backend, as its guide has it."""

import django_site
import party

settings = party.read()
django_site.configure(
    settings,
    ["social_django"],
    backends=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=settings.issuer,
    SOCIAL_AUTH_OIDC_KEY=settings.client_id,
    SOCIAL_AUTH_OIDC_SECRET=settings.client_secret,
    SOCIAL_AUTH_OIDC_USE_PKCE=settings.has_pkce,
    # In addition to openid, profile and email.
    SOCIAL_AUTH_OIDC_SCOPE=["offline_access"],
)

from django.contrib.auth import logout
from django.http import HttpResponse, JsonResponse
from django.urls import include, path


def user(request):
    if not request.user.is_authenticated:
        return JsonResponse({})
    account = request.user.social_auth.get(provider="oidc")
    return JsonResponse({"sub": account.uid, "email": request.user.email, "preferred_username": request.user.username})


def refresh(request):
    from social_django.utils import load_strategy

    account = request.user.social_auth.get(provider="oidc")
    old = dict(account.extra_data)
    account.refresh_token(load_strategy(request))
    account.refresh_from_db()
    backend = account.get_backend_instance(load_strategy(request))
    bearer = {"Authorization": "Bearer " + account.extra_data["access_token"]}
    claims = backend.get_json(backend.userinfo_url(), headers=bearer)
    names = ("access_token", "refresh_token")
    return JsonResponse({"new": [name for name in names if account.extra_data[name] != old[name]], **party.chosen(claims)})


def leave(request):
    logout(request)
    return HttpResponse("goodbye")


urlpatterns = [
    path("", include("social_django.urls", namespace="social")),
    path("begin", lambda request: django_site.form(request, "/login/oidc/", "sign in")),
    path("user", user),
    path("refresh", refresh),
    path("logout", leave),
]
if __name__ == "__main__":
    party.serve(django_site.application(), settings, ["social-auth-core", "social-auth-app-django", "django"])
