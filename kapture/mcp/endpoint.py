"""MCP over the hub's port: WebSockets and Streamable HTTP at `/mcp`.

Host, Origin and the client token have been checked when a request comes here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import attrs
from trio_websocket import WebSocketRequest

from kapture.errors import KaptureError
from kapture.hub import ClientKind, Hub
from kapture.mcp.options import Options, parse_options
from kapture.mcp.streamable_http import StreamableHttp
from kapture.mcp.websocket import SUBPROTOCOL, serve_websocket

_KINDS: dict[str, ClientKind] = {"stdio": "stdio", "cli": "cli"}


@attrs.frozen
class McpEndpoint:
    """`serve_websocket` takes upgrade requests, `http` is the ASGI application for all others."""

    http: StreamableHttp
    _hub: Hub
    _prove: Callable[[str], str] | None

    async def serve_websocket(self, request: WebSocketRequest) -> None:
        """Accept and serve one MCP client; 400 for a query or nonce that is not valid."""
        headers = {name.lower(): value for name, value in request.headers}
        _, _, query = request.path.partition("?")
        answer: list[tuple[bytes, bytes]] = []
        try:
            options: Options = parse_options(query)
            nonce = headers.get(b"kapture-nonce")
            if nonce is not None and self._prove is not None:
                answer.append((b"Kapture-Proof", self._prove(nonce.decode("ascii", "replace")).encode()))
        except KaptureError as error:
            await request.reject(400, body=str(error).encode())
            return
        subprotocol = SUBPROTOCOL if SUBPROTOCOL in request.proposed_subprotocols else None
        socket = await request.accept(subprotocol=subprotocol, extra_headers=answer)
        kind = _KINDS.get(headers.get(b"kapture-client", b"").decode("ascii", "replace"), "websocket")
        await serve_websocket(self._hub, socket, options, kind)


@asynccontextmanager
async def mcp_endpoint(hub: Hub, *, port: int, prove: Callable[[str], str] | None = None) -> AsyncIterator[McpEndpoint]:
    """The endpoint of this hub. Leaving the block ends every HTTP session. `prove` answers a client's nonce."""
    http = StreamableHttp(hub, port=port)
    async with http.run():
        yield McpEndpoint(http, hub, prove)
