"""A browser's debugging pipe as a `Socket`: JSON messages, each terminated by a zero byte.

The framing is that of Chromium's `DevToolsPipeHandler`.
"""

from __future__ import annotations

import os
from contextlib import suppress

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
        self._begun: str | None = None  # the message that `send_now` has not sent as a whole
        self._rest = b""  # of that

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
            while (number := _file_of(self._incoming)) is not None:
                await trio.lowlevel.wait_readable(number)  # Trio's own stream tries to read first, which mostly fails
                if _file_of(self._incoming) is None:
                    break  # closed meanwhile: the descriptor may be another file's
                with suppress(BlockingIOError):
                    return os.read(number, _READ_BYTES)
            return bytes(await self._incoming.receive_some(_READ_BYTES))
        except (trio.BrokenResourceError, trio.ClosedResourceError, OSError):
            return b""

    def send_now(self, message: str) -> bool:
        """Send what the pipe takes of a message at once; returns whether that is all.

        If it is not, the next call must be `send_message` with the same message, which sends the rest.
        """
        if (number := _file_of(self._outgoing)) is None:
            return False
        framed = _framed(message)
        try:
            sent = os.write(number, framed)
        except OSError:
            return False  # full, or broken, which `send_message` reports
        if sent == len(framed):
            return True
        self._begun, self._rest = message, framed[sent:]
        return False

    async def send_message(self, message: str) -> None:
        """Send one message, or the rest of the one that `send_now` has begun."""
        data = self._rest if self._begun is message else _framed(message)
        self._begun, self._rest = None, b""
        try:
            await self._outgoing.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ConnectionClosed(None) from error

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        """Close both directions, which makes the browser exit."""
        await self._outgoing.aclose()
        await self._incoming.aclose()


def _framed(message: str) -> bytes:
    return message.encode() + b"\0"


def _file_of(stream: trio.abc.AsyncResource) -> int | None:
    """The descriptor of an open pipe, which Trio has made non-blocking; None for any other stream."""
    fileno = getattr(stream, "fileno", None)
    number = -1 if fileno is None else int(fileno())
    return None if number < 0 else number
