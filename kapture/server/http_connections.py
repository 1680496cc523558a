"""Plain HTTP on the port: connections are served by Hypercorn, requests by the routes."""

from __future__ import annotations

from typing import Any

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.events import Closed, Event
from hypercorn.protocol import ProtocolWrapper
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext

from kapture.server.admission import FurtherCallers
from kapture.server.authentication import Gate
from kapture.server.http_app import http_app
from kapture.server.routes import RouteTable
from kapture.settings import Limits
from kapture.streams import TcpStream

_KEEP_ALIVE_S = 60


class _Http1(H11Protocol):
    """HTTP/1.1 that stays what it is: a request for HTTP/2 is one for HTTP/1.1 (RFC 9110, 7.8)."""

    async def _check_protocol(self, event: Any) -> None:
        """Hypercorn would go over to HTTP/2 here, for anybody who reaches the port."""


class _Http1Server(TCPServer):
    """Hypercorn's connection without its wrapper, which goes over to HTTP/2."""

    @property
    def protocol(self) -> Any:
        """What the connection speaks."""
        return self._protocol

    @protocol.setter
    def protocol(self, wrapper: ProtocolWrapper) -> None:
        self._protocol = _Http1(
            wrapper.app,
            wrapper.config,
            wrapper.context,
            wrapper.task_group,
            wrapper.state,
            wrapper.ssl,
            wrapper.client,
            wrapper.server,
            wrapper.send,
        )

    async def protocol_send(self, event: Event) -> None:
        """Send, unless the connection's end is being sent: Hypercorn does that beside other sends."""
        try:
            await super().protocol_send(event)
        except trio.BusyResourceError:
            await self.protocol.handle(Closed())


class HttpConnections:
    """Serves connections that do not ask for a WebSocket. `gate` admits requests."""

    def __init__(
        self, table: RouteTable, port: int, limits: Limits, gate: Gate, further_callers: FurtherCallers
    ) -> None:
        served: Any = http_app(table, port, gate, further_callers)  # typed as Starlette's ASGIApp
        self._app = ASGIWrapper(served)
        self._config = Config()
        self._config.h11_max_incomplete_size = limits.head_bytes
        self._config.keep_alive_timeout = _KEEP_ALIVE_S
        self._config.server_names = []
        self._config.include_server_header = False
        self._context = WorkerContext(None)

    async def serve(self, stream: TcpStream) -> None:
        """Serve one connection until it ends."""
        # Hypercorn closes the stream itself; of the stream it uses only the socket's addresses besides.
        replayed: Any = stream
        await _Http1Server(self._app, self._config, self._context, {}, replayed)
