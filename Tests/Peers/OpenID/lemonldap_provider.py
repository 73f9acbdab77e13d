# SPDX-License-Identifier: Apache-2.0
"""LemonLDAP::NG, a single-sign-on portal in Perl, with its demonstration backend for the account."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import peer

CONFIGURATION = """[all]
logLevel = error
[configuration]
type = File
dirName = {folder}
localStorage = Cache::FileCache
localStorageOptions = {{ 'namespace' => 'configuration', 'cache_root' => '{folder}/cache' }}
[portal]
staticPrefix = /static
templateDir = {share}/templates
languages = en
"""


def prepare(settings):
    root = packages()
    share, modules = places(root)
    settings.user["password"] = settings.user["name"]
    Path(settings.path("lemonldap.ini")).write_text(CONFIGURATION.format(folder=settings.folder, share=share))
    write_configuration(settings)
    discovery = settings.origin + "/.well-known/openid-configuration"
    return peer.Provider(
        version=version(modules),
        issuer=settings.origin,
        command=command(root, settings.port),
        environment=environment(settings, root) | {
            "LATCH_USER": settings.user["name"],
            "LATCH_EMAIL": settings.user["email"],
        },
        ready=discovery,
        discovery=discovery,
        quirks=[
            "the password is the user's name, as for all accounts of the demonstration backend",
            "does not rotate refresh tokens, and revokes none",
            "issues a token for offline access only with prompt=consent",
            "checks the verifier of PKCE only for clients that must send one",
            "prompt=none shows the login page to a user who is not signed in",
            "refused consent is consent_required",
            "shows an abandoned authorization request again with the next one",
            "does not decode percent-encoded client credentials",
            "the challenge for a bad access token has no scheme",
        ],
    )


def places(root):
    """The folder of the portal, and those of its modules."""
    modules = [root / "usr/share/perl5", root / f"usr/lib/{platform.machine()}-linux-gnu/perl5/5.36"]
    return root / "usr/share/lemonldap-ng/portal", modules


def command(root, port):
    return [
        "perl", str(root / "usr/bin/plackup"), "--server", "HTTP::Server::PSGI", "--env", "deployment",
        "--host", "127.0.0.1", "--port", str(port), str(peer.HERE / "lemonldap.psgi"),
    ]


def environment(settings, root):
    share, modules = places(root)
    return {
        "PERL5LIB": os.pathsep.join(map(str, modules)),
        "LLNG_DEFAULTCONFFILE": settings.path("lemonldap.ini"),
        "LATCH_STATIC": str(share / "htdocs/static"),
        "LATCH_SCRIPTS": str(root / "usr/share/javascript"),
    }


def packages():
    found = subprocess.run([peer.ROOT / "Scripts/fetch-peers", "lemonldap"], stdout=subprocess.PIPE, check=True, text=True)
    root = Path(found.stdout.strip())
    if not (root / "usr/share/lemonldap-ng").exists():
        sys.exit("provider: LemonLDAP::NG could not be had\nhint: look whether the addresses in "
                 "Scripts/lib/peers-lemonldap-archives.txt are still right")
    return root


def version(modules):
    text = (modules[0] / "Lemonldap/NG/Portal.pm").read_text()
    return next(line.split("'")[1] for line in text.splitlines() if line.startswith("our $VERSION"))


def keys(settings):
    private = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
        check=True, capture_output=True, text=True,
    ).stdout
    public = subprocess.run(
        ["openssl", "pkey", "-pubout"], input=private, check=True, capture_output=True, text=True
    ).stdout
    return private, public


def client(settings, known):
    is_public = "client_secret" not in known
    options = {
        "ClientID": known["client_id"],
        "ClientSecret": known.get("client_secret", ""),
        "Public": int(is_public),
        "RequirePKCE": 1,
        "RedirectUris": " ".join(settings.redirects),
        "PostLogoutRedirectUris": " ".join(settings.post_logouts),
        "IDTokenSignAlg": "RS256",
        "AllowOffline": 1,
        "RefreshToken": 1,
        "BypassConsent": 0,
        "LogoutBypassConfirm": 0,
        "DisplayName": known["client_id"],
    }
    return {f"oidcRPMetaDataOptions{name}": value for name, value in options.items()}


def storage(settings, name):
    for folder in (name, f"{name}/lock"):
        Path(settings.path(folder)).mkdir()
    return {
        "Directory": settings.path(name),
        "LockDirectory": settings.path(f"{name}/lock"),
        "generateModule": "Lemonldap::NG::Common::Apache::Session::Generate::SHA256",
    }


def portal(settings, origin, key):
    """The configuration of a portal, without what signs its users in."""
    return {
        "cfgNum": 1,
        "cfgAuthor": "test",
        "cfgDate": 1,
        "portal": origin + "/",
        "domain": "127.0.0.1",
        "cookieName": "lemonldap",
        "securedCookie": 0,
        "passwordDB": "Null",
        "registerDB": "Null",
        # The portal loads one even where no page has a captcha, and its own needs a library for drawings.
        "captcha": "Latch::NoCaptcha",
        "captcha_login_enabled": 0,
        "captcha_mail_enabled": 0,
        "captcha_register_enabled": 0,
        "portalDisplayRegister": 0,
        "portalDisplayResetPassword": 0,
        "key": key,
        "whatToTrace": "uid",
        "exportedVars": {"cn": "cn", "mail": "mail", "uid": "uid"},
        "globalStorage": "Apache::Session::File",
        "globalStorageOptions": storage(settings, "sessions"),
        "persistentStorage": "Apache::Session::File",
        "persistentStorageOptions": storage(settings, "persistent"),
        "localSessionStorage": "Cache::FileCache",
        "localSessionStorageOptions": {"namespace": "sessions", "cache_root": settings.path("cache")},
        "locationRules": {},
        "exportedHeaders": {},
    }


def write_configuration(settings):
    private, public = keys(settings)
    claims = {"email": "mail", "name": "cn", "preferred_username": "uid"}
    clients = {"public": settings.public, "confidential": settings.confidential}
    values = {
        **portal(settings, settings.origin, settings.confidential["client_secret"]),
        "authentication": "Demo",
        "userDB": "Same",
        "demoExportedVars": {"cn": "cn", "mail": "mail", "uid": "uid"},
        "issuerDBOpenIDConnectActivation": 1,
        "issuerDBOpenIDConnectRule": 1,
        "oidcServiceMetaDataIssuer": settings.origin,
        "oidcServicePrivateKeySig": private,
        "oidcServicePublicKeySig": public,
        "oidcServiceKeyIdSig": "key-1",
        "oidcServiceAllowAuthorizationCodeFlow": 1,
        "oidcRPMetaDataOptions": {name: client(settings, known) for name, known in clients.items()},
        "oidcRPMetaDataExportedVars": {name: claims for name in clients},
    }
    with open(settings.path("lmConf-1.json"), "w") as file:
        json.dump(values, file)
