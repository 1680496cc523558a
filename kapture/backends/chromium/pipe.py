"""A browser's debugging pipe as a `Socket`: JSON messages, each terminated by a zero byte.

The framing is that of Chromium's `DevToolsPipeHandler`.
"""

from __future__ import annotations

import trio
from trio_websocket import ConnectionClosed

MAX_MESSAGE_BYTES = 256 * 2**20
_READ_BYTES = 256 * 1024


class PipeSocket:
    """One end of the pipe. As with a WebSocket, `ConnectionClosed` means that the other end has closed it."""

    def __init__(self, incoming: trio.abc.ReceiveStream, outgoing: trio.abc.SendStream) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._received = bytearray()
        self._scanned = 0  # bytes of `_received` that were found to hold no zero byte

    async def get_message(self) -> str:
        """The next message."""
        while (end := self._received.find(b"\0", self._scanned)) < 0:
            self._scanned = len(self._received)
            if self._scanned > MAX_MESSAGE_BYTES:
                raise ConnectionClosed(None)
            if not (data := await self._receive()):
                raise ConnectionClosed(None)
            self._received += data
        message = self._received[:end].decode("utf-8", "replace")
        del self._received[: end + 1]
        self._scanned = 0
        return message

    async def _receive(self) -> bytes:
        """Some bytes; b"" at the end."""
        try:
            return bytes(await self._incoming.receive_some(_READ_BYTES))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return b""

    async def send_message(self, message: str) -> None:
        """Send one message."""
        try:
            await self._outgoing.send_all(message.encode() + b"\0")
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ConnectionClosed(None) from error

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        """Close both directions, which makes the browser exit."""
        await self._outgoing.aclose()
        await self._incoming.aclose()
