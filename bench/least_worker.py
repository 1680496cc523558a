"""The hub's end of the WebSocket of `least_extension`'s worker, with no more of the protocol than the two need."""

from __future__ import annotations

import base64
import hashlib

import attrs
import trio

_ACCEPT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_READ_BYTES = 65_536


@attrs.define
class WorkerSocket:
    """The worker at the other end of a WebSocket."""

    _stream: trio.SocketStream

    async def ask(self, message: bytes) -> bytes:
        """Send a message; returns the next one of the worker, which is short and comes in one frame."""
        size = len(message)
        head = bytes((0x81, size)) if size < 126 else bytes((0x81, 126)) + size.to_bytes(2, "big")
        await self._stream.send_all(head + message)
        received = b""
        while len(received) < 2 or len(received) < 6 + (received[1] & 0x7F):
            if not (data := await self._stream.receive_some(_READ_BYTES)):
                raise trio.ClosedResourceError("The worker has gone.")
            received += data
        mask = received[2:6]
        return bytes(byte ^ mask[at % 4] for at, byte in enumerate(received[6:]))


async def upgraded(stream: trio.SocketStream, head: bytes = b"") -> WorkerSocket | None:
    """The connection as a WebSocket; None if it ends before. `head`: what has been read of it."""
    stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
    while not head.endswith(b"\r\n\r\n"):
        if not (data := await stream.receive_some(_READ_BYTES)):
            return None
        head += data
    key = next(line.split(b": ")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:"))
    accept = base64.b64encode(hashlib.sha1(key + _ACCEPT).digest())
    await stream.send_all(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )
    return WorkerSocket(stream)
