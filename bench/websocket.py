"""A WebSocket whose messages are bytes, as those of the pipes that are measured beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import attrs
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_client_stream

_MAX_BYTES = 256 * 1024 * 1024
_CLOSE_S = 1


@attrs.frozen
class WebSocket:
    """One open connection. `ClosedResourceError` once the other end has closed it."""

    _socket: WebSocketConnection

    async def send(self, message: bytes) -> None:
        """Send one text message."""
        try:
            await self._socket.send_message(message.decode())
        except ConnectionClosed as error:
            raise trio.ClosedResourceError(str(error)) from error

    async def receive(self) -> bytes:
        """Wait for the next message."""
        try:
            message = await self._socket.get_message()
        except ConnectionClosed as error:
            raise trio.ClosedResourceError(str(error)) from error
        return message.encode() if isinstance(message, str) else message


@asynccontextmanager
async def open_websocket(
    port: int, path: str, headers: Mapping[str, str] = {}, *, host_port: int | None = None
) -> AsyncIterator[WebSocket]:
    """Connect to a port of this machine. `host_port` is the server's own, if `port` forwards to it."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    async with stream, trio.open_nursery() as nursery:
        socket = await wrap_client_stream(
            nursery,
            stream,
            f"127.0.0.1:{host_port or port}",
            path,
            extra_headers=[(name.encode(), value.encode()) for name, value in headers.items()],
            max_message_size=_MAX_BYTES,
            receive_buffer_size=None,
        )
        yield WebSocket(socket)
        with trio.move_on_after(_CLOSE_S):
            await socket.aclose()
        nursery.cancel_scope.cancel()
