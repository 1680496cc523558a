"""Plain HTTP on the port: connections are served by Hypercorn; each request is admitted, since a kept-alive connection
carries many, and passed on to its route.
"""

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
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kapture.server.admission import NO_FURTHER_CALLERS, FurtherCallers, Refusal, identify_caller
from kapture.server.authentication import Gate
from kapture.server.connections import TooManyConnectionsError, current_connection
from kapture.server.request_head import head_of_request
from kapture.server.routes import HttpRoute, RouteTable
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
        """The protocol of the connection."""
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


def http_app(
    table: RouteTable,
    port: int,
    gate: Gate,
    further_callers: FurtherCallers = NO_FURTHER_CALLERS,
) -> ASGIApp:
    """The application for these routes. `gate` admits requests, and records those that are refused."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # WebSockets have connections of their own; Hypercorn sends no lifespan events here.
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        head = head_of_request(scope["method"], scope["path"], scope.get("query_string", b""), scope["headers"])
        caller = identify_caller(head, port, further_callers)
        route = caller if isinstance(caller, Refusal) else table.request(head, caller)
        try:
            if isinstance(route, HttpRoute):
                assert not isinstance(caller, Refusal)  # noqa: S101  or there is no route
                if (refusal := gate.http(route.door, head, caller)) is None:
                    await route.app(scope, receive, send)
                    return
                route = refusal
        except TooManyConnectionsError as error:
            route = Refusal(status=503, reason=str(error))
        except ClientDisconnect:  # nobody is left to answer
            gate.on_refused(Refusal(status=400, reason="The connection ended in the middle of a request's body."), head)
            return
        if route.status != 404:
            gate.on_refused(route, head)
        headers = {"WWW-Authenticate": 'Bearer realm="kapture"'} if route.status == 401 else {}
        await PlainTextResponse(f"{route.reason}\n", route.status, headers)(scope, receive, send)

    async def serve_counted(scope: Scope, receive: Receive, send: Send) -> None:
        with current_connection().serving():
            await serve(scope, receive, send)

    return awaiting_bodies(serve_counted)


_AWAITED_S = 1
_MOST_BYTES = 65_536
_LENGTHS = (b"content-length", b"transfer-encoding")


def awaiting_bodies(app: ASGIApp) -> ASGIApp:
    """Wrap `app`: an answer is sent once the request's body has ended, or says that the connection ends.

    HTTP/1.1 carries the next request after this one's body. Hypercorn closes a connection whose body has not come when
    the answer has been sent, without a word to the client, which may then lose its next request there, or this answer.
    So the body is awaited for a moment, and where it does not end the answer says that the connection does (RFC 9112,
    9.6); also where both headers state where it ends, as a proxy may have followed the other one (RFC 9112, 6.1).
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        lengths = {name: value for name, value in scope["headers"] if name in _LENGTHS}
        if scope["type"] != "http" or lengths in ({}, {b"content-length": b"0"}):
            await app(scope, receive, send)
            return
        body = _Body(receive)

        async def send_after_body(message: Message) -> None:
            if message["type"] == "http.response.start" and (not await body.ends() or len(lengths) > 1):
                message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
            await send(message)

        await app(scope, body.receive, send_after_body)

    return serve


class _Body:
    """The outcome of reading one request's body."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._ended = False

    async def receive(self) -> Message:
        """The next message for the application."""
        message = await self._receive()
        self._ended = self._ended or not message.get("more_body", False)
        return message

    async def ends(self) -> bool:
        """Whether it has ended, after at most a second and so many bytes more. What comes meanwhile is dropped."""
        left = _MOST_BYTES
        with trio.move_on_after(_AWAITED_S):
            while not self._ended and left > 0:
                left -= len((await self.receive()).get("body", b""))
        return self._ended
