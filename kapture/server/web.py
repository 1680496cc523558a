"""What the hub serves over plain HTTP: `/health`, the Console, and MCP at `/mcp`.

Every request is judged here too, since a connection that is kept alive carries many.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kapture import __version__
from kapture.package_files import test_app_folder
from kapture.server.request_head import from_scope, judge

if TYPE_CHECKING:
    from kapture.hub.hub import Hub

_SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        b"connect-src 'self' ws://127.0.0.1:* ws://localhost:* ws://[::1]:*; frame-ancestors 'none'; "
        b"base-uri 'none'; form-action 'none'; object-src 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


def make_app(hub: Hub, mcp: ASGIApp | None, port: int) -> ASGIApp:
    """The ASGI application. `mcp` serves Streamable HTTP, if there is one."""

    async def health(request: Request) -> Response:
        return JSONResponse({"kapture": __version__, "pid": os.getpid()})

    async def root(request: Request) -> Response:
        return RedirectResponse("/console/")

    routes: list[Route | Mount] = [Route("/", root), Route("/health", health)]
    folder = test_app_folder()
    if folder.is_dir():
        routes += [
            Route("/console", root),
            Mount("/console", StaticFiles(directory=folder, html=True)),
        ]
    app: ASGIApp = Starlette(routes=routes)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await _refuse_other(scope, receive, send)
            return
        head = from_scope(scope["method"], scope["path"], scope.get("query_string", b""), scope["headers"])
        refusal = judge(head, port)
        if refusal is not None:
            hub.state.records.counters.refused_connections += 1
            await PlainTextResponse(f"{refusal.reason}\n", refusal.status)(scope, receive, send)
        elif head.path == "/mcp":
            if mcp is None:
                await PlainTextResponse("MCP is not served here.\n", 404)(scope, receive, send)
            elif head.from_extension or not (
                hub.state.settings.no_pairing or hub.state.pairing.client_allowed(head.bearer)
            ):
                await _unauthorized()(scope, receive, send)
            else:
                await mcp(scope, receive, send)
        else:
            # Under older versions Starlette watches for a disconnect beside sending a file, and cancels itself in the
            # middle of Hypercorn's closing of a connection that the client wants closed.
            newer = {**scope, "asgi": {"version": "3.0", "spec_version": "2.4"}}
            await app(newer, receive, _with_headers(send))

    return serve


def _unauthorized() -> Response:
    return JSONResponse(
        {
            "jsonrpc": "2.0",
            "id": None,
            "error": {
                "code": -32001,
                "message": "UNAUTHORIZED: send the client token of hub.json as Authorization: Bearer.",
            },
        },
        401,
        headers={"WWW-Authenticate": 'Bearer realm="kapture"'},
    )


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *_SECURITY_HEADERS]}
        await send(message)

    return send_with_headers


async def _refuse_other(scope: Scope, receive: Receive, send: Send) -> None:
    """WebSockets come on connections of their own; Hypercorn's lifespan events are not sent here."""
    await receive()
    await send({"type": "websocket.close", "code": 1008})
