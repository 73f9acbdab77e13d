# SPDX-License-Identifier: Apache-2.0
"""The SDK of the Model Context Protocol: a server with a tool, whose tokens it verifies, and a client that finds the auth server
from the server's address, registers itself (RFC 7591), and signs its user in."""

import asyncio
import time

import jwt
import mcp
import party
import uvicorn
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from starlette.responses import JSONResponse, RedirectResponse

settings = party.read()
address = settings.origin + "/mcp"
keys = jwt.PyJWKClient(settings.issuer + "/.well-known/jwks.json")


class Verifier:
    async def verify_token(self, token):
        try:
            key = await asyncio.to_thread(keys.get_signing_key_from_jwt, token)
            claims = jwt.decode(token, key.key, algorithms=["ES256", "RS256"], audience=address, issuer=settings.issuer)
        except jwt.PyJWTError:
            return None
        return AccessToken(
            token=token, client_id=claims["client_id"], scopes=claims["scope"].split(), expires_at=claims["exp"],
            resource=address, subject=claims["sub"],
        )


server = MCPServer(
    "notes", token_verifier=Verifier(),
    auth=AuthSettings(
        issuer_url=settings.issuer, resource_server_url=address, required_scopes=["notes:read"], validate_token_resource=True,
    ),
)


@server.tool()
def whoami() -> str:
    return get_access_token().subject


class Storage:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Program:
    """A client, whose calls run beside the pages that its browser is led through."""

    def __init__(self):
        loop = asyncio.get_running_loop()
        self.page, self.response = loop.create_future(), loop.create_future()
        self.storage = Storage()
        self.provider = OAuthClientProvider(
            server_url=address, storage=self.storage, redirect_handler=self.show, callback_handler=self.wait,
            client_metadata=OAuthClientMetadata(
                client_name="a client", redirect_uris=[settings.origin + "/callback"], scope="notes:read offline_access",
                grant_types=["authorization_code", "refresh_token"], token_endpoint_auth_method="none",
            ),
        )

    async def show(self, url):
        self.page.set_result(url)

    async def wait(self):
        return await self.response

    async def call(self):
        async with create_mcp_http_client(auth=self.provider) as http:
            async with mcp.Client(streamable_http_client(address, http_client=http)) as client:
                result = await client.call_tool("whoami", {})
                return result.content[0].text


running = {}


@server.custom_route("/login", methods=["GET"])
async def login(request):
    program = running["program"] = Program()
    running["call"] = asyncio.create_task(program.call())
    await asyncio.wait([program.page, running["call"]], return_when=asyncio.FIRST_COMPLETED)
    if running["call"].done():
        running["call"].result()
    return RedirectResponse(program.page.result())


@server.custom_route("/callback", methods=["GET"])
async def callback(request):
    query = request.query_params
    running["program"].response.set_result(
        AuthorizationCodeResult(code=query["code"], state=query["state"], iss=query["iss"])
    )
    running["user"] = await running["call"]
    return RedirectResponse("/user")


@server.custom_route("/user", methods=["GET"])
async def user(request):
    return JSONResponse({"sub": running["user"]})


@server.custom_route("/refresh", methods=["GET"])
async def refresh(request):
    """Calls the tool with a token that has expired."""
    program = running["program"]
    old = program.storage.tokens
    program.provider.context.token_expiry_time = time.time() - 1
    found = await program.call()
    new = program.storage.tokens
    names = ("access_token", "refresh_token")
    return JSONResponse({"new": [name for name in names if getattr(new, name) != getattr(old, name)], "sub": found})


async def main():
    configuration = uvicorn.Config(
        server.streamable_http_app(), host="127.0.0.1", port=settings.port, ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key, log_level="warning",
    )
    party.say(party.versions("mcp"))
    await uvicorn.Server(configuration).serve()


asyncio.run(main())
