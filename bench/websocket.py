"""A minimal WebSocket client, so that nearly all of the measured time is the other end's."""

from __future__ import annotations

import base64
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import trio

_READ_BYTES = 1024 * 1024


class WebSocket:
    """One open connection; text messages, sent and received as bytes."""

    def __init__(self, stream: trio.SocketStream, received: bytes) -> None:
        self._stream = stream
        self._buffer = bytearray(received)

    async def send(self, message: bytes) -> None:
        """Send one masked frame (RFC 6455, section 5.2), with a mask of zeros."""
        size = len(message)
        if size < 126:
            head = bytes((0x81, 0x80 | size))
        elif size < 65_536:
            head = bytes((0x81, 0xFE)) + size.to_bytes(2, "big")
        else:
            head = bytes((0x81, 0xFF)) + size.to_bytes(8, "big")
        await self._stream.send_all(head + bytes(4) + message)

    async def receive(self) -> bytes:
        """Wait for the next message."""
        message = b""
        while True:
            await self._fill(2)
            first, second = self._buffer[0], self._buffer[1]
            start, size = 2, second & 0x7F
            if size >= 126:
                start = 4 if size == 126 else 10
                await self._fill(start)
                size = int.from_bytes(self._buffer[2:start], "big")
            await self._fill(start + size)
            payload = bytes(memoryview(self._buffer)[start : start + size])
            del self._buffer[: start + size]
            if first & 0x0F == 8:
                raise trio.ClosedResourceError("The other end has closed the WebSocket.")
            if first & 0x0F in (0, 1, 2):
                message = message + payload if message else payload
                if first & 0x80:
                    return message

    async def _fill(self, size: int) -> None:
        while len(self._buffer) < size:
            data = await self._stream.receive_some(_READ_BYTES)
            if not data:
                raise trio.ClosedResourceError("The connection has ended.")
            self._buffer += data


@asynccontextmanager
async def open_websocket(
    port: int, path: str, headers: Mapping[str, str] = {}, *, host_port: int | None = None
) -> AsyncIterator[WebSocket]:
    """Connect to a port of this machine. `host_port` is the server's own, if `port` forwards to it."""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: 127.0.0.1:{host_port or port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        await stream.send_all("\r\n".join([*lines, "", ""]).encode())
        received = b""
        while b"\r\n\r\n" not in received:
            data = await stream.receive_some(65_536)
            if not data:
                raise trio.ClosedResourceError("The other end refused the WebSocket.")
            received += data
        head, _, rest = received.partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0] + b" ":
            raise trio.BrokenResourceError(head.decode("latin-1"))
        yield WebSocket(stream, rest)
