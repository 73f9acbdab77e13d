# SPDX-License-Identifier: Apache-2.0
"""Examples/mcp-server, used by the client of the SDK of the Model Context Protocol, which knows only the server's address: it
finds the auth server, signs its user in, and asks for more when a tool needs it. It has a registration, or registers itself, or
is known by its metadata document, if the auth server offers that."""

import asyncio
import json
import subprocess
import urllib.request

import jwt
import mcp
import party
import peer
import uvicorn
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

settings = party.read()
origin = f"http://127.0.0.1:{settings.port}"
address = settings.others["audience"]
with urllib.request.urlopen(settings.discovery, timeout=60) as answer:
    metadata = json.load(answer)


class Storage:
    def __init__(self, client_id):
        self.tokens = None
        self.client = client_id and OAuthClientInformationFull(
            client_id=client_id, redirect_uris=[origin + "/callback"], token_endpoint_auth_method="none", issuer=settings.issuer,
        )

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

    def __init__(self, client_id=None, document=None):
        self.storage, self.page, self.response, self.running = Storage(client_id), None, None, None
        self.provider = OAuthClientProvider(
            server_url=address, storage=self.storage, redirect_handler=self.show, callback_handler=self.wait,
            client_metadata_url=document,
            client_metadata=OAuthClientMetadata(
                client_name="a client", redirect_uris=[origin + "/callback"],
                grant_types=["authorization_code", "refresh_token"], token_endpoint_auth_method="none",
            ),
        )

    async def show(self, url):
        self.page.set_result(url)

    async def wait(self):
        return await self.response

    async def call(self, tool, arguments):
        async with create_mcp_http_client(auth=self.provider) as http:
            async with mcp.Client(streamable_http_client(address, http_client=http)) as client:
                result = await client.call_tool(tool, arguments)
        claims = jwt.decode(self.storage.tokens.access_token, options={"verify_signature": False})
        return {
            "texts": [content.text for content in result.content], "sub": claims["sub"], "aud": claims["aud"],
            "scopes": sorted(claims["scope"].split()), "client": self.storage.client.client_id,
            "is_registered": self.storage.client.client_id != settings.client_id,
        }

    async def begin(self, tool, arguments):
        """Begins a call; returns the page that the user has to see, or the page with the result."""
        loop = asyncio.get_running_loop()
        self.page, self.response = loop.create_future(), loop.create_future()
        self.running = asyncio.create_task(self.call(tool, arguments))
        await asyncio.wait([self.page, self.running], return_when=asyncio.FIRST_COMPLETED)
        return RedirectResponse("/user" if self.running.done() else self.page.result())


programs = {}


def begin_as(make):
    async def start(request):
        programs["now"] = make()
        return await programs["now"].begin("list_notes", {})
    return start


async def add(request):
    """Calls the tool that needs another scope."""
    return await programs["now"].begin("add_note", {"text": "milk"})


async def listed(request):
    return await programs["now"].begin("list_notes", {})


async def callback(request):
    query = request.query_params
    programs["now"].response.set_result(AuthorizationCodeResult(code=query["code"], state=query["state"], iss=query["iss"]))
    await programs["now"].running
    return RedirectResponse("/user")


async def user(request):
    return JSONResponse(await programs["now"].running)


async def offers(request):
    """What the auth server offers to a client that nobody has registered."""
    return JSONResponse({
        "registration": "registration_endpoint" in metadata,
        "document": metadata.get("client_id_metadata_document_supported") is True and "document" in settings.others,
    })


application = Starlette(routes=[
    Route("/login", begin_as(lambda: Program(client_id=settings.client_id))),
    Route("/register", begin_as(Program)),
    Route("/document", begin_as(lambda: Program(document=settings.others["document"]))),
    Route("/add", add), Route("/list", listed), Route("/callback", callback), Route("/user", user), Route("/offers", offers),
])


async def main():
    inner = int(address.rsplit(":", 1)[1].partition("/")[0])
    example = peer.start(
        [settings.others["example"]], {"MCP_ISSUER": settings.issuer, "MCP_URL": address}, stdout=subprocess.DEVNULL,
    )
    try:
        party.say(party.versions("mcp"), [inner])
        await uvicorn.Server(uvicorn.Config(application, host="127.0.0.1", port=settings.port, log_level="warning")).serve()
    finally:
        peer.end(example)


asyncio.run(main())
