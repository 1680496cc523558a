"""MCP over the hub's port: WebSockets and Streamable HTTP at `/mcp`.

Host, Origin and the client token have been checked before a request is passed on to this module. The SDK takes half a
second to import, which a thread does once the port is open.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio
from trio_websocket import WebSocketRequest

from kapture.background import running_beside
from kapture.errors import KaptureError
from kapture.hub import ClientKind, Hub
from kapture.mcp.options import Options, parse_options

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from kapture.mcp.session_clients import SessionClients
    from kapture.mcp.streamable_http import StreamableHttp

SUBPROTOCOL = "mcp"
_KINDS: dict[str, ClientKind] = {"stdio": "stdio", "cli": "cli"}


class McpEndpoint:
    """`serve_websocket` takes upgrade requests, `serve_http` is the ASGI application for all others."""

    def __init__(self, hub: Hub, *, port: int, prove: Callable[[str], str] | None) -> None:
        self._hub = hub
        self._port = port
        self._prove = prove
        self._serve_websocket: Any
        self._http: StreamableHttp
        self._kept: SessionClients
        self._imported = trio.Event()

    async def run(self) -> None:
        """Import the SDK, and serve HTTP sessions until cancelled."""
        self._serve_websocket, make_http, clients = await trio.to_thread.run_sync(_import_sdk)
        self._kept = clients(self._hub, "cli", shared=True)
        try:
            async with make_http(self._hub, port=self._port).run() as self._http:
                self._imported.set()
                await self._kept.forget_when_idle()
        finally:
            self._kept.close()

    async def serve_http(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        await self._imported.wait()
        await self._http(scope, receive, send)

    async def serve_websocket(self, request: WebSocketRequest) -> None:
        """Accept and serve one MCP client; answer 400 if the query or nonce is invalid."""
        headers = {name.lower(): value for name, value in request.headers}
        _, _, query = request.path.partition("?")
        answer: list[tuple[bytes, bytes]] = []
        try:
            nonce = headers.get(b"kapture-nonce")
            if nonce is not None and self._prove is not None:
                answer.append((b"Kapture-Proof", self._prove(nonce.decode("ascii", "replace")).encode()))
            options: Options = parse_options(query)
        except KaptureError as error:
            await request.reject(400, extra_headers=answer, body=str(error).encode())
            return
        subprotocol = SUBPROTOCOL if SUBPROTOCOL in request.proposed_subprotocols else None
        socket = await request.accept(subprotocol=subprotocol, extra_headers=answer)
        kind = _KINDS.get(headers.get(b"kapture-client", b"").decode("ascii", "replace"), "websocket")
        await self._imported.wait()
        await self._serve_websocket(self._hub, socket, options, kind, self._kept if options.keep else None)


@asynccontextmanager
async def mcp_endpoint(hub: Hub, *, port: int, prove: Callable[[str], str] | None = None) -> AsyncIterator[McpEndpoint]:
    """The endpoint of this hub. Every HTTP session ends with the block. `prove` computes the proof for a client's
    nonce."""
    endpoint = McpEndpoint(hub, port=port, prove=prove)
    async with running_beside(endpoint.run):
        yield endpoint


def _import_sdk() -> Any:
    from kapture.mcp.session_clients import SessionClients
    from kapture.mcp.streamable_http import StreamableHttp
    from kapture.mcp.websocket import serve_websocket

    return serve_websocket, StreamableHttp, SessionClients
