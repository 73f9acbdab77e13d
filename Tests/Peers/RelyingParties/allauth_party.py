# SPDX-License-Identifier: Apache-2.0
"""django-allauth with its provider for any OpenID Connect server, as its guide has it."""

import django_site
import party

settings = party.read()
django_site.configure(
    settings,
    ["allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"],
    middleware=["allauth.account.middleware.AccountMiddleware"],
    backends=["allauth.account.auth_backends.AuthenticationBackend"],
    ACCOUNT_LOGOUT_REDIRECT_URL="/goodbye",
    SOCIALACCOUNT_PROVIDERS={
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": settings.has_pkce,
            "APPS": [{
                "provider_id": "latch",
                "name": "Latch",
                "client_id": settings.client_id,
                "secret": settings.client_secret,
                "settings": {"server_url": settings.issuer},
            }],
        },
    },
)

from django.http import HttpResponse, JsonResponse
from django.urls import include, path


def user(request):
    from allauth.account.models import EmailAddress
    from allauth.socialaccount.models import SocialAccount

    if not request.user.is_authenticated:
        return JsonResponse({})
    account = SocialAccount.objects.get(user=request.user)
    address = EmailAddress.objects.get(user=request.user)
    return JsonResponse({"sub": account.uid, "email": address.email, "email_verified": address.verified})


urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("user", user),
    path("goodbye", lambda request: HttpResponse("goodbye")),
]
if __name__ == "__main__":
    party.serve(django_site.application(), settings, ["django-allauth", "django"])
