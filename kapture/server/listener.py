"""One port for all routes.

A connection's first request decides: a WebSocket upgrade is replayed into trio-websocket, anything else into Hypercorn
(`kapture.server.http`), which is imported when first needed.
"""

from __future__ import annotations

import errno
import logging
import os
from typing import TYPE_CHECKING, Any

import trio
from trio_websocket import ConnectionClosed, wrap_server_stream
from wsproto.utilities import LocalProtocolError

from kapture.errors import ProtocolError
from kapture.pairing.access import Caller
from kapture.server.admission import NO_FURTHER_CALLERS, FurtherCallers, Refusal, identify_caller
from kapture.server.authentication import Gate
from kapture.server.connections import Connection, Connections, TooManyConnectionsError
from kapture.server.request_head import RequestHead, RequestHeadReader
from kapture.server.routes import RouteTable, Upgrade, WebSocketRoute
from kapture.settings import Limits
from kapture.streams import TcpStream

if TYPE_CHECKING:
    from kapture.server.http import HttpConnections

logger = logging.getLogger(__name__)

_CLOSE_S = 1
_NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
_AGAIN_AFTER_S = 0.1
_LOG_EACH_S = 10.0


async def open_port(port: int) -> list[trio.SocketListener]:
    """Listen on a port (0: any free one) on both loopback addresses; `OSError` `EADDRINUSE` if it is taken.

    Both, because clients that connect to `localhost` could otherwise reach another program on `[::1]`.
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
    """Serves the routes on the port. `serve` runs until cancelled.

    `gate` admits requests, and records those that are refused.
    """

    def __init__(
        self,
        table: RouteTable,
        *,
        port: int,
        limits: Limits,
        gate: Gate,
        further_callers: FurtherCallers = NO_FURTHER_CALLERS,
    ) -> None:
        self._table = table
        self._port = port
        self._limits = limits
        self._gate = gate
        self._further_callers = further_callers
        self.connections = Connections(limits)
        self._http: HttpConnections | None = None

    async def serve(self, listeners: list[trio.SocketListener]) -> None:
        """Accept connections until cancelled."""
        await trio.serve_listeners(self._connection, [PatientListener(listener) for listener in listeners])

    def drop_all(self) -> None:
        """Close every connection: the key has changed, and none is authenticated any more."""
        self.connections.close_all()

    async def _connection(self, stream: trio.SocketStream) -> None:
        try:
            with self.connections.open() as connection:
                await self._serve_connection(stream, connection)
        except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError, ConnectionClosed):
            pass  # the other end has closed the connection
        except* LocalProtocolError:
            pass  # trio-websocket would answer a ping that came after its close frame
        except* Exception:
            # A bug in one connection must not end the others.
            logger.exception("A connection is closed because of a bug in Kapture.")
        finally:
            await trio.aclose_forcefully(stream)

    async def _serve_connection(self, stream: trio.SocketStream, connection: Connection) -> None:
        reader = RequestHeadReader(self._limits.head_bytes)
        head = None
        try:
            with trio.fail_after(self._limits.head_ms / 1_000):
                while head is None:
                    data = await stream.receive_some(16_384)
                    if not data:
                        return
                    head = reader.feed(bytes(data))
        except trio.TooSlowError:
            await self._answer(
                stream,
                Refusal(
                    status=408, reason=f"The request head did not arrive within {self._limits.head_ms / 1_000:g} s."
                ),
            )
            return
        except ProtocolError as error:
            await self._answer(stream, Refusal(status=400, reason=error.message))
            return
        caller = identify_caller(head, self._port, self._further_callers)
        if isinstance(caller, Refusal):
            await self._refuse(stream, caller, head)
        elif head.one(b"upgrade") is None:
            await self._serve_http(TcpStream(stream, bytes(reader.received)))
        else:
            route = self._route_of_upgrade(head, caller)
            if isinstance(route, Refusal):
                await self._refuse(stream, route, head)
            else:
                with connection.serving():
                    replayed = TcpStream(stream, bytes(reader.received), connection.may_receive)
                    await self._serve_websocket(replayed, route, head, caller, connection)

    async def _serve_http(self, stream: TcpStream) -> None:
        if self._http is None:
            http = await trio.to_thread.run_sync(_import_http)
            self._http = http(self._table, self._port, self._limits, self._gate, self._further_callers)
        await self._http.serve(stream)

    def _route_of_upgrade(self, head: RequestHead, caller: Caller) -> WebSocketRoute | Refusal:
        if not head.wants_websocket:
            return Refusal(status=400, reason="The hub upgrades to WebSocket only.")
        if not head.has_ascii_handshake:
            return Refusal(status=400, reason="The headers of a WebSocket's handshake must be ASCII.")
        return self._table.websocket(head, caller)

    async def _serve_websocket(
        self, stream: TcpStream, route: WebSocketRoute, head: RequestHead, caller: Caller, connection: Connection
    ) -> None:
        async with trio.open_nursery() as nursery:
            request = None
            with trio.move_on_after(self._limits.head_ms / 1_000):
                request = await wrap_server_stream(
                    nursery,
                    stream,
                    message_queue_size=0,  # nothing is read ahead of a slow reader
                    max_message_size=self._limits.message_bytes,
                )
            if request is not None:  # else trio-websocket has refused it
                try:
                    upgrade = Upgrade(request=request, head=head, caller=caller, connection=connection)
                    await self._gate.websocket(route.door, upgrade, route.serve)
                except TooManyConnectionsError as error:
                    self._gate.on_refused(Refusal(status=503, reason=error.message), head)
                    await request.reject(503, body=f"{error}\n".encode())
            nursery.cancel_scope.cancel()

    async def _refuse(self, stream: trio.SocketStream, refusal: Refusal, head: RequestHead) -> None:
        self._gate.on_refused(refusal, head)
        await self._answer(stream, refusal)

    async def _answer(self, stream: trio.SocketStream, refusal: Refusal) -> None:
        """Send a refusal in plain HTTP, and close the connection: once the client has, since what it still sends would
        reset it, and could take the answer from the client (RFC 9112, 9.6)."""
        body = f"{refusal.reason}\n".encode()
        extra = 'WWW-Authenticate: Bearer realm="kapture"\r\n' if refusal.status == 401 else ""
        head = (
            f"HTTP/1.1 {refusal.status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\n{extra}Connection: close\r\n\r\n"
        )
        with trio.move_on_after(_CLOSE_S):
            await stream.send_all(head.encode("ascii") + body)
            await stream.send_eof()
            while await stream.receive_some(16_384):
                pass


def _import_http() -> Any:
    from kapture.server.http import HttpConnections

    return HttpConnections


class PatientListener(trio.abc.Listener[trio.SocketStream]):
    """A listener that stays usable when the system has no room for another connection. It tries again, and logs that
    now and then in one line, where Trio would log a traceback each time."""

    def __init__(self, listener: trio.abc.Listener[trio.SocketStream]) -> None:
        self._listener = listener
        self._log_from = trio.current_time()

    async def accept(self) -> trio.SocketStream:
        """Accept a connection, as soon as there is room for one."""
        while True:
            try:
                return await self._listener.accept()
            except OSError as error:
                if error.errno not in _NO_ROOM:
                    raise
                self._log(error.errno)
            await trio.sleep(_AGAIN_AFTER_S)  # there is no event for room

    def _log(self, number: int) -> None:
        if (now := trio.current_time()) >= self._log_from:
            self._log_from = now + _LOG_EACH_S
            logger.error("No room for another connection: %s. Raise `ulimit -n`, or close some.", os.strerror(number))

    async def aclose(self) -> None:
        """Stop listening."""
        await self._listener.aclose()
