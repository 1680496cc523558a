"""MCP over the hub's port: WebSockets and Streamable HTTP at `/mcp`.

Host, Origin and the client token have been checked before a request is passed on to this module. The SDK takes half a
second to import, which a thread does once the port is open.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import attrs
import trio
from trio_websocket import WebSocketRequest

from kapture.background import running_beside
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import ClientKind, Hub
from kapture.hub.client import session_of
from kapture.hub.sockets import close_socket
from kapture.mcp.options import Options, parse_options
from kapture.wire import files

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from kapture.mcp.session_clients import SessionClients
    from kapture.mcp.streamable_http import StreamableHttp

SUBPROTOCOL = "mcp"
_KINDS: dict[str, ClientKind] = {"stdio": "stdio", "cli": "cli"}


@attrs.frozen(kw_only=True)
class Known:
    """What a client has shown in its first message: that it is a Console of the person's, its proof of session."""

    console: bool = False
    session: str | None = attrs.field(default=None, repr=False)


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

    async def serve_websocket(
        self,
        request: WebSocketRequest,
        known: Callable[[], Known] = lambda: Known(),
        *,
        prove: Callable[[str], str] | None = None,
        share: str = "",
    ) -> None:
        """Accept and serve one MCP client; answer 400 if the query, nonce or header Kapture-Session is invalid.

        `known` is called once it is accepted. `share`: through which it comes, with the proof of its own.
        """
        prove = prove or self._prove
        headers = {name.lower(): value for name, value in request.headers}
        _, _, query = request.path.partition("?")
        answer: list[tuple[bytes, bytes]] = []
        try:
            nonce = headers.get(b"kapture-nonce")
            if nonce is not None and prove is not None:
                answer.append((b"Kapture-Proof", prove(_text(nonce) or "").encode()))
            carries = bool(share) and headers.get(files.HEADER.lower().encode()) == b"1"
            options: Options = attrs.evolve(parse_options(query), share=share, carries=carries)
            if share and options.keep:
                raise KaptureError(ErrorCode.UNSUPPORTED, "A share keeps no sessions.", hint="Leave --session out.")
            if options.keep and options.browser:
                raise KaptureError(
                    ErrorCode.UNSUPPORTED, "What is kept is of every browser.", hint="Leave browser out."
                )
            if (proof := _text(headers.get(b"kapture-session"))) is not None:
                session_of(proof)
        except KaptureError as error:
            await request.reject(400, extra_headers=answer, body=str(error).encode())
            return
        subprotocol = SUBPROTOCOL if SUBPROTOCOL in request.proposed_subprotocols else None
        socket = await request.accept(subprotocol=subprotocol, extra_headers=answer)
        client = known()
        named = _KINDS.get(_text(headers.get(b"kapture-client")) or "", "websocket")
        kind: ClientKind = "console" if client.console else "websocket" if share else named
        if client.session is not None:
            try:
                session_of(proof := client.session)
            except KaptureError as error:
                await close_socket(socket, 1008, error.message[:100])
                return
        if options.keep and proof is None:
            await close_socket(socket, 1008, "keep needs a proof of session")  # a name alone is anybody's
            return
        await self._imported.wait()
        kept = self._kept if options.keep else None
        await self._serve_websocket(self._hub, socket, options, kind, proof, kept)


def _text(header: bytes | None) -> str | None:
    return None if header is None else header.decode("ascii", "replace")


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
