"""The MCP face of a hub: what the listener hands `/mcp` requests to.

    async with mcp_face(hub, port=lambda: listener.port, prove=pairing.client_proof) as face:
        listener = Listener(hub, on_mcp_websocket=face.websocket, http_app=face.http)

Host, Origin and Authorization have been checked when a request comes here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import attrs
from trio_websocket import WebSocketRequest

from kapture.errors import KaptureError
from kapture.mcp.http import HttpFace
from kapture.mcp.options import Options, parse_options
from kapture.mcp.websocket import SUBPROTOCOL, serve_websocket

if TYPE_CHECKING:
    from kapture.hub import Hub
    from kapture.hub.client import ClientKind

_KINDS: dict[str, ClientKind] = {"stdio": "stdio", "cli": "cli"}


@attrs.frozen
class McpFace:
    """`websocket` takes upgrade requests, `http` is the ASGI application for all others."""

    http: HttpFace
    _hub: Hub
    _prove: Callable[[str], str] | None

    async def websocket(self, request: WebSocketRequest) -> None:
        """Accept and serve one MCP client; refuse with 400 what its query or its nonce should not say."""
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
async def mcp_face(
    hub: Hub, *, port: Callable[[], int], prove: Callable[[str], str] | None = None
) -> AsyncIterator[McpFace]:
    """The face of this hub. Leaving the block ends every HTTP session.

    `port` is asked when a session is made, since a hub on "any free port" learns its own late. `prove` answers a
    client's nonce.
    """
    http = HttpFace(hub, port=port)
    async with http.run():
        yield McpFace(http, hub, prove)
