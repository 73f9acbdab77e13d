# SPDX-License-Identifier: Apache-2.0
"""The relying parties: their programs, what they are registered with, and their steps."""

import dataclasses
import secrets

import steps
from steps import Check


@dataclasses.dataclass
class Party:
    """A relying party: its program, its packages, and what it is registered with."""

    name: str
    program: str
    packages: str = None
    # The server has the name localhost. A page of the same name is of its site, and a frame in it has the server's cookies.
    host: str = "127.0.0.1"
    callback: str = "/callback"
    start: str = "/login"
    # What is pressed at its own page to begin.
    press: str = None
    user: str = "/user"
    # Its registration.
    client: dict = dataclasses.field(default_factory=dict)
    # The server: the one below a path, or the other one.
    is_below_path: bool = False
    # nginx has its port, and the party an inner one.
    is_behind_proxy: bool = False
    inner: int = 0
    # A server without TLS, whose API is the example at the inner port.
    is_plain: bool = False
    steps: list = dataclasses.field(default_factory=list)
    # With PKCE switched on, and the registration that needs it.
    has_pkce: bool = False
    port: int = 0
    child: object = None
    versions: dict = dataclasses.field(default_factory=dict)

    @property
    def origin(self):
        return f"{'http' if self.is_plain else 'https'}://{self.host}:{self.port}"

    def registration(self):
        """The client as a table of the server's configuration, with its secret."""
        members = {"id": self.name, "grants": ["authorization_code", "refresh_token"], **self.client}
        if members["grants"]:
            members["redirects"] = [self.origin + self.callback]
        if members.setdefault("confidential", True):
            members["secret"] = secrets.token_urlsafe(32)
        if "logout" in members:
            members["logout"] = [self.origin + members["logout"]]
        return members


PARTIES = [
    Party(
        "authlib", "authlib_party.py", "rp-flask", client={"require_pkce": False, "require_nonce": True, "logout": "/goodbye"},
        steps=[Check.first, Check.refresh, Check.second, Check.log_out],
    ),
    Party(
        "mozilla-django-oidc", "mozilla_party.py", "rp-django", callback="/oidc/callback/", start="/oidc/authenticate/",
        client={"require_pkce": False, "require_nonce": True, "grants": ["authorization_code"], "logout": "/goodbye"},
        steps=[Check.first, steps.renews, Check.second, lambda check: check.log_out("form[action='/oidc/logout/'] button")],
    ),
    Party(
        "django-allauth", "allauth_party.py", "rp-django", callback="/accounts/oidc/latch/login/callback/",
        start="/accounts/oidc/latch/login/", press="form button[type=submit]",
        client={"require_pkce": False, "grants": ["authorization_code"]},
        steps=[Check.first, lambda check: check.log_out_here("/accounts/logout/", "form button[type=submit]", "/goodbye")],
    ),
    Party(
        "social-auth", "social_party.py", "rp-django", callback="/complete/oidc/", start="/begin", press="form button",
        client={"require_pkce": False, "require_nonce": True},
        steps=[Check.first, Check.refresh, Check.second, Check.log_out_here],
    ),
    Party(
        "requests-oauthlib", "requests_oauthlib_party.py", "rp-flask", client={"require_pkce": False},
        steps=[Check.first, Check.refresh, Check.second, steps.acts_for_itself],
    ),
    Party(
        "flask-appbuilder", "appbuilder_party.py", "rp-flask", callback="/oauth-authorized/latch", start="/login/latch?next=/user",
        client={"require_pkce": False, "require_nonce": True, "grants": ["authorization_code"]},
        steps=[Check.first, lambda check: check.log_out_here("/logout/")],
    ),
    Party(
        "mod-auth-openidc", "apache_party.py", callback="/protected/redirect_uri", start="/protected/start.html",
        user="/protected/redirect_uri?info=json",
        client={"require_pkce": False, "require_nonce": True, "logout": "/goodbye.html"},
        steps=[Check.first, steps.apache_refreshes, Check.second, steps.apache_logs_out, steps.apache_verifies],
    ),
    Party(
        "synapse", "synapse_party.py", "rp-synapse", callback="/_synapse/client/oidc/callback",
        client={"grants": ["authorization_code"], "id_token_claims": True},
        steps=[
            steps.matrix_signs_in(["login", "consent"], "signs in as {user}, who agrees to it, and goes on to a third origin"),
            steps.matrix_signs_in([], "signs in again, and nothing is asked"),
        ],
    ),
    Party(
        "jupyterhub", "hub_party.py", "rp-hub", callback="/hub/oauth_callback", is_behind_proxy=True,
        client={"grants": ["authorization_code"]},
        steps=[
            steps.hub_signs_in(["login", "consent"], "signs in as {user}, who agrees to it"),
            steps.hub_signs_in([], "signs in again, and nothing is asked"),
            steps.hub_logs_out,
        ],
    ),
    Party(
        "lemonldap", "lemonldap_party.py", "rp-flask", callback="/?openidconnectcallback=1", is_behind_proxy=True,
        client={"require_pkce": False, "require_nonce": True, "grants": ["authorization_code"], "logout": "/?logout=1"},
        steps=[steps.lemonldap_signs_in(["login", "consent"], "signs in as {user}, who agrees to it"), steps.lemonldap_logs_out],
    ),
    Party(
        "page", "page_party.py", host="localhost", client={"confidential": False},
        steps=[steps.page_signs_in, steps.page_is_strange],
    ),
    Party(
        "mcp", "mcp_party.py", "rp-mcp", client={"confidential": False},
        steps=[
            Check.first, Check.refresh,
            lambda check: check.sign_in(["consent"], "signs in again; it asks for the consent itself, by prompt=consent"),
        ],
    ),
    Party(
        "mcp-example", "mcp_example_party.py", "rp-mcp", is_plain=True, client={"confidential": False},
        steps=[steps.reads_with_tools, steps.writes_with_tools, steps.registers_itself, steps.has_document],
    ),
    Party("api", "resource_party.py", "rp-flask", client={"grants": []}, steps=[steps.verifies, steps.verifies_user]),
    Party(
        "msal", "msal_party.py", "rp-flask", is_below_path=True, client={"id_token_claims": True},
        steps=[Check.first, Check.refresh, Check.second, steps.signs_in_by_device, steps.acts_for_itself],
    ),
]


def with_pkce(party):
    """The party with PKCE switched on, as a client of its own that needs it."""
    client = {name: value for name, value in party.client.items() if name != "require_pkce"}
    # Keys of all kinds are then among those that each party reads.
    client["id_token_signed_response_alg"] = {"authlib": "EdDSA", "mozilla-django-oidc": "ES256"}.get(party.name, "RS256")
    return dataclasses.replace(party, name=party.name + "-pkce", client=client, has_pkce=True, steps=[Check.refuse, Check.first])


PARTIES += [with_pkce(party) for party in PARTIES if "require_pkce" in party.client and party.name != "lemonldap"]
