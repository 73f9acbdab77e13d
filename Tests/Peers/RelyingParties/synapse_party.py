# SPDX-License-Identifier: Apache-2.0
"""Synapse, a Matrix server, with the provider of OpenID Connect as its guide has it: user names from `preferred_username`. The
program writes its configuration and becomes Synapse."""

import json
import os
import secrets
import subprocess
import sys

import party

settings = party.read()
folder = party.folder_for(settings, "synapse")


log = party.write(folder, "log.yaml", json.dumps({
    "version": 1,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"level": "WARNING", "handlers": ["console"]},
}))
# JSON is YAML.
configuration = party.write(folder, "homeserver.yaml", json.dumps({
    "server_name": "matrix.example.com",
    "public_baseurl": settings.origin + "/",
    "pid_file": f"{folder}/pid",
    "log_config": log,
    "listeners": [{
        "port": settings.port, "bind_addresses": ["127.0.0.1"], "type": "http", "tls": True,
        "resources": [{"names": ["client"]}],
    }],
    "tls_certificate_path": settings.certificate,
    "tls_private_key_path": settings.key,
    "database": {"name": "sqlite3", "args": {"database": f"{folder}/homeserver.sqlite"}},
    "media_store_path": f"{folder}/media",
    "signing_key_path": f"{folder}/signing.key",
    "macaroon_secret_key": secrets.token_urlsafe(32),
    "form_secret": secrets.token_urlsafe(32),
    "report_stats": False,
    "trusted_key_servers": [],
    # A browser that is led there by the callback is led on from the server's form.
    "sso": {"client_whitelist": [settings.others["matrix_client"]]},
    "oidc_providers": [{
        "idp_id": "latch",
        "idp_name": "Latch",
        "issuer": settings.issuer,
        "client_id": settings.client_id,
        "client_secret": settings.client_secret,
        "scopes": ["openid", "profile", "email"],
        "user_mapping_provider": {"config": {
            "localpart_template": "{{ user.preferred_username }}",
            "display_name_template": "{{ user.name }}",
            "email_template": "{{ user.email }}",
        }},
    }],
}))
command = [sys.executable, "-m", "synapse.app.homeserver", "-c", configuration]
subprocess.run([*command, "--generate-keys"], check=True, stdout=sys.stderr)
party.say(party.versions("matrix-synapse", "authlib"))
os.execv(sys.executable, command)
