# SPDX-License-Identifier: Apache-2.0
"""JupyterHub with the generic authenticator of oauthenticator as its guide has it, behind nginx. The program writes its
configuration, starts the hub's own proxy, which has no TLS, and becomes the hub."""

import os
import secrets
import sys
from pathlib import Path

import jupyterhub
import party
import peer
import requests

CONFIGURATION = """
c = get_config()
facts = {facts}
c.JupyterHub.bind_url = "http://127.0.0.1:%d" % facts["inner"]
c.JupyterHub.hub_port = facts["hub"]
c.ConfigurableHTTPProxy.should_start = False
c.ConfigurableHTTPProxy.auth_token = facts["proxy_token"]
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:%d" % facts["api"]
c.JupyterHub.db_url = "sqlite:///hub.sqlite"
# Nothing of a user is run.
c.JupyterHub.redirect_to_server = False
c.JupyterHub.authenticator_class = "generic-oauth"
c.GenericOAuthenticator.client_id = facts["client_id"]
c.GenericOAuthenticator.client_secret = facts["client_secret"]
c.GenericOAuthenticator.oauth_callback_url = facts["origin"] + "/hub/oauth_callback"
c.GenericOAuthenticator.authorize_url = facts["authorize"]
c.GenericOAuthenticator.token_url = facts["token"]
c.GenericOAuthenticator.userdata_url = facts["userinfo"]
c.GenericOAuthenticator.logout_redirect_url = facts["logout"]
c.GenericOAuthenticator.scope = ["openid", "profile", "email"]
c.GenericOAuthenticator.username_claim = "preferred_username"
c.GenericOAuthenticator.allow_all = True
c.Authenticator.auto_login = True
"""
settings = party.read()
folder = party.folder_for(settings, "hub")
metadata = requests.get(settings.discovery, timeout=20).json()
inner, (api, hub) = settings.others["inner"], settings.others["hub"]
facts = {
    "origin": settings.origin, "client_id": settings.client_id, "client_secret": settings.client_secret,
    "authorize": metadata["authorization_endpoint"], "token": metadata["token_endpoint"],
    "userinfo": metadata["userinfo_endpoint"], "logout": metadata["end_session_endpoint"],
    "inner": inner, "hub": hub, "api": api, "proxy_token": secrets.token_hex(32),
}
path = party.write(folder, "hub.py", CONFIGURATION.replace("{facts}", repr(facts)))
os.chdir(folder)
# The hub would start it in a session of its own, where it would outlive a hub that is killed.
program = Path(jupyterhub.__file__).parent.parent / "bin/configurable-http-proxy"
peer.start(
    [sys.executable, program, "--ip", "127.0.0.1", "--port", str(inner), "--api-ip", "127.0.0.1", "--api-port", str(api),
     "--default-target", f"http://127.0.0.1:{hub}", "--error-target", f"http://127.0.0.1:{hub}/hub/error"],
    {"CONFIGPROXY_AUTH_TOKEN": facts["proxy_token"]}, stdout=sys.stderr,
)
party.say(party.versions("jupyterhub", "oauthenticator", "configurable-http-proxy"), [inner, hub])
os.execv(sys.executable, [sys.executable, "-m", "jupyterhub", "-f", path])
