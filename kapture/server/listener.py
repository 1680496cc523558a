"""One port for everything: tab sockets at `/`, MCP at `/mcp`, and HTTP.

A connection's first request decides: a WebSocket upgrade is replayed into trio-websocket, anything else into
Hypercorn with the application of `kapture.server.web`.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from starlette.types import ASGIApp
from trio_websocket import ConnectionClosed, WebSocketRequest, wrap_server_stream

from kapture.errors import KaptureError
from kapture.hub.handshake import Credentials
from kapture.hub.hub import Hub
from kapture.server.mcp_upgrade import AuthenticatingRequest
from kapture.server.replayed_stream import ReplayedStream
from kapture.server.request_head import Head, HeadReader, Refusal, judge
from kapture.server.web import make_app

logger = logging.getLogger(__name__)

OnMcpWebSocket: TypeAlias = Callable[[WebSocketRequest], Awaitable[None]]
"""Accepts an upgrade request for `/mcp`, and serves the client. Host, Origin and token have been checked."""

_RECEIVE_BYTES = 256 * 1024
_CLOSE_S = 1


async def open_port(port: int) -> list[trio.SocketListener]:
    """Take a port (0: any free one) on both loopback addresses; `OSError` `EADDRINUSE` when it is taken.

    Both, because another program on `[::1]` would get whoever says `localhost`.
    """
    first = await trio.open_tcp_listeners(port, host="127.0.0.1")
    try:
        return first + await trio.open_tcp_listeners(port_of(first), host="::1")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            for listener in first:
                await listener.aclose()
            raise
        return first  # a machine without IPv6


def port_of(listeners: list[trio.SocketListener]) -> int:
    """The port that these listen on."""
    port: int = listeners[0].socket.getsockname()[1]
    return port


class Listener:
    """Serves a hub on its port. `serve` runs until cancelled."""

    def __init__(
        self, hub: Hub, *, on_mcp_websocket: OnMcpWebSocket | None = None, http_app: ASGIApp | None = None
    ) -> None:
        self._hub = hub
        self._limits = hub.state.settings.limits
        self._on_mcp = on_mcp_websocket
        self._http_app = http_app
        self._connections: set[trio.CancelScope] = set()
        self._port = hub.state.settings.port

    async def serve(self, listeners: list[trio.SocketListener]) -> None:
        """Accept connections until cancelled."""
        web: Any = make_app(self._hub, self._http_app, self._port)  # ASGI, spelled in Starlette's types
        app = ASGIWrapper(web)
        config = Config()
        config.h11_max_incomplete_size = self._limits.head_bytes
        config.keep_alive_timeout = 60
        config.server_names = []
        config.include_server_header = False
        context = WorkerContext(None)
        async with trio.open_nursery() as nursery:

            async def handle(stream: trio.SocketStream) -> None:
                await self._connection(stream, app, config, context)

            await trio.serve_listeners(handle, listeners, handler_nursery=nursery)

    def drop_all(self) -> None:
        """End every connection now: none is proven any more."""
        for scope in tuple(self._connections):
            scope.cancel()

    async def _connection(
        self, stream: trio.SocketStream, app: ASGIWrapper, config: Config, context: WorkerContext
    ) -> None:
        if len(self._connections) >= self._limits.connections:
            await trio.aclose_forcefully(stream)
            return
        scope = trio.CancelScope()
        self._connections.add(scope)
        try:
            with scope:
                await self._serve_connection(stream, app, config, context)
        except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError, ConnectionClosed):
            pass  # the other end has gone
        except* Exception:
            # One connection's misfortune must not end the others.
            logger.exception("a connection ended because of a mistake in Kapture")
        finally:
            self._connections.discard(scope)
            await trio.aclose_forcefully(stream)

    async def _serve_connection(
        self, stream: trio.SocketStream, app: ASGIWrapper, config: Config, context: WorkerContext
    ) -> None:
        reader = HeadReader(self._limits.head_bytes)
        head = None
        try:
            with trio.fail_after(self._limits.head_ms / 1_000):
                while head is None:
                    data = await stream.receive_some(16_384)
                    if not data:
                        return
                    head = reader.feed(bytes(data))
        except trio.TooSlowError:
            await self._answer(stream, Refusal(status=408, reason="The request did not come in time."))
            return
        except KaptureError as error:
            await self._answer(stream, Refusal(status=400, reason=error.message))
            return
        refusal = judge(head, self._port) or self._judge_upgrade(head)
        if refusal is not None:
            self._hub.state.records.counters.refused_connections += 1
            await self._answer(stream, refusal)
        elif head.wants_websocket:
            await self._serve_websocket(ReplayedStream(stream, bytes(reader.received)), head)
        else:
            # Hypercorn ends the stream itself; it looks at nothing of it but the socket's addresses.
            replayed: Any = ReplayedStream(stream, bytes(reader.received))
            await TCPServer(app, config, context, {}, replayed)

    def _judge_upgrade(self, head: Head) -> Refusal | None:
        """What is wrong with an upgrade request that has passed `judge`."""
        if head.one(b"upgrade") is None:
            return None
        if not head.wants_websocket:
            return Refusal(status=400, reason="The hub upgrades to WebSocket only.")
        if head.path not in ("/", "/mcp") or (head.path == "/mcp" and self._on_mcp is None):
            return Refusal(status=404, reason="WebSockets are at / (tabs) and /mcp (clients).")
        if head.path == "/mcp" and head.from_extension:
            return Refusal(status=403, reason="The extension has no business at /mcp.")
        if head.bearer is not None and not self._hub.state.pairing.client_allowed(head.bearer):
            return Refusal(status=401, reason="The token is not this hub's: read it again from hub.json.")
        return None

    async def _serve_websocket(self, stream: ReplayedStream, head: Head) -> None:
        async with trio.open_nursery() as nursery:
            request = None
            with trio.move_on_after(self._limits.head_ms / 1_000):
                request = await wrap_server_stream(
                    nursery,
                    stream,
                    message_queue_size=1,
                    max_message_size=self._limits.message_bytes,
                    receive_buffer_size=_RECEIVE_BYTES,
                )
            if request is not None and head.path == "/":
                await self._serve_tab(request, head)
            elif request is not None:
                await self._serve_mcp(request, head)
            nursery.cancel_scope.cancel()

    async def _serve_tab(self, request: WebSocketRequest, head: Head) -> None:
        headers = []
        if (nonce := head.one(b"kapture-nonce")) is not None:
            try:
                headers.append((b"Kapture-Proof", self._hub.state.pairing.client_proof(nonce).encode("ascii")))
            except KaptureError as error:
                await request.reject(400, body=error.message.encode())
                return
        socket = await request.accept(extra_headers=headers)
        credentials = Credentials(extension=head.from_extension, token=head.bearer is not None)
        await self._hub.serve_tab(socket, credentials)

    async def _serve_mcp(self, request: WebSocketRequest, head: Head) -> None:
        assert self._on_mcp is not None  # noqa: S101  _judge_upgrade() looked
        from_page = bool(head.all(b"origin"))
        # Who asks for a proof waits with its token until it has it, also where no token is needed.
        wants_proof = head.one(b"kapture-nonce") is not None
        if head.bearer is None and (from_page or wants_proof or not self._hub.state.settings.no_pairing):
            request = AuthenticatingRequest(request, self._hub.state.pairing, self._limits)
        await self._on_mcp(request)

    async def _answer(self, stream: trio.SocketStream, refusal: Refusal) -> None:
        """Refuse in plain HTTP, and close."""
        body = f"{refusal.reason}\n".encode()
        extra = 'WWW-Authenticate: Bearer realm="kapture"\r\n' if refusal.status == 401 else ""
        head = (
            f"HTTP/1.1 {refusal.status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\n{extra}Connection: close\r\n\r\n"
        )
        with trio.move_on_after(_CLOSE_S):
            await stream.send_all(head.encode("ascii") + body)
            await stream.send_eof()
