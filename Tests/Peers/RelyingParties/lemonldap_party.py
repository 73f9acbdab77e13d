# SPDX-License-Identifier: Apache-2.0
"""LemonLDAP::NG, whose portal signs in by OpenID Connect as its guide has it, behind nginx. It has no switch for PKCE. The program
writes its configuration and becomes the portal."""

import json
import os
import secrets

import lemonldap_provider
import party
import requests

settings = party.read()
settings.path = lambda name: os.path.join(settings.folder, name)
metadata = requests.get(settings.discovery, timeout=20)
keys = requests.get(metadata.json()["jwks_uri"], timeout=20)
root = lemonldap_provider.packages()
share, modules = lemonldap_provider.places(root)
party.write(settings.folder, "lemonldap.ini", lemonldap_provider.CONFIGURATION.format(folder=settings.folder, share=share))
party.write(settings.folder, "lmConf-1.json", json.dumps({
    **lemonldap_provider.portal(settings, settings.origin, secrets.token_urlsafe(32)),
    "authentication": "OpenIDConnect",
    "userDB": "Same",
    # Its REST service says who is signed in.
    "restSessionServer": 1,
    "oidcOPMetaDataJSON": {"latch": metadata.text},
    "oidcOPMetaDataJWKS": {"latch": keys.text},
    "oidcOPMetaDataOptions": {"latch": {
        f"oidcOPMetaDataOptions{name}": value for name, value in {
            "ClientID": settings.client_id,
            "ClientSecret": settings.client_secret,
            "Scope": "openid profile email",
            "TokenEndpointAuthMethod": "client_secret_post",
            "CheckJWTSignature": 1,
            "UseNonce": 1,
            "StoreIDToken": 1,
        }.items()
    }},
    "oidcOPMetaDataExportedVars": {"latch": {"uid": "preferred_username", "mail": "email", "cn": "name"}},
}))
party.say({"lemonldap-ng": lemonldap_provider.version(modules)}, [settings.others["inner"]])
os.environ.update(lemonldap_provider.environment(settings, root))
os.environ.update({"LATCH_USER": "nobody", "LATCH_EMAIL": "nobody@example.com", "PERL_LWP_SSL_CA_FILE": settings.certificate})
command = lemonldap_provider.command(root, settings.others["inner"])
os.execvp(command[0], command)
