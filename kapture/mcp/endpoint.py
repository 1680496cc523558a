"""MCP over the hub's port: WebSockets and Streamable HTTP at `/mcp`.

Host, Origin and the client token have been checked before a request is passed on to this module. Streamable HTTP is the
SDK's, which is imported for the first such request.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio
from trio_websocket import WebSocketRequest

from kapture.errors import KaptureError
from kapture.hub import ClientKind, Hub
from kapture.mcp.options import Options, parse_options
from kapture.mcp.websocket import SUBPROTOCOL, serve_websocket

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from kapture.mcp.streamable_http import StreamableHttp

_KINDS: dict[str, ClientKind] = {"stdio": "stdio", "cli": "cli"}


class McpEndpoint:
    """`serve_websocket` takes upgrade requests, `serve_http` is the ASGI application for all others."""

    def __init__(self, hub: Hub, nursery: trio.Nursery, *, port: int, prove: Callable[[str], str] | None) -> None:
        self._hub = hub
        self._nursery = nursery
        self._port = port
        self._prove = prove
        self._http: StreamableHttp | None = None
        self._opening = trio.Lock()

    async def serve_http(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        async with self._opening:
            if self._http is None:
                make = await trio.to_thread.run_sync(_import_streamable_http)
                self._http = await self._nursery.start(_run_http, make(self._hub, port=self._port))
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
        await serve_websocket(self._hub, socket, options, kind)


@asynccontextmanager
async def mcp_endpoint(hub: Hub, *, port: int, prove: Callable[[str], str] | None = None) -> AsyncIterator[McpEndpoint]:
    """The endpoint of this hub. Every HTTP session ends with the block. `prove` computes the proof for a client's
    nonce."""
    async with trio.open_nursery() as nursery:
        yield McpEndpoint(hub, nursery, port=port, prove=prove)
        nursery.cancel_scope.cancel()


def _import_streamable_http() -> Any:
    from kapture.mcp.streamable_http import StreamableHttp

    return StreamableHttp


async def _run_http(
    http: StreamableHttp, *, task_status: trio.TaskStatus[StreamableHttp] = trio.TASK_STATUS_IGNORED
) -> None:
    async with http.run():
        task_status.started(http)
        await trio.sleep_forever()
