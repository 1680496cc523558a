"""A TCP stream that does at once what can be done at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import trio

AVAILABLE = sys.platform != "win32"
"""Whether sockets can be read and written by file descriptor."""


class PromptStream(trio.abc.HalfCloseableStream):
    """Writes without a checkpoint if the socket takes all, and reads only when something has arrived.

    Trio's own stream tries each read first, which mostly fails, and yields after each write: with it a command cost the
    hub 6 to 9 % more processor time. So its user must yield elsewhere, and let no two tasks send at the same time:
    trio-websocket takes a lock for each message.
    """

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.socket = stream.socket

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Wait for bytes and receive them; b"" at the end."""
        if max_bytes is None:
            return bytes(await self.stream.receive_some())
        with _socket_errors():
            while True:
                await trio.lowlevel.wait_readable(self._open_file())
                try:
                    return os.read(self._open_file(), max_bytes)
                except BlockingIOError:
                    continue  # what made it readable is gone, as after a wrong checksum

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send; a checkpoint only if it has to wait."""
        with memoryview(data) as whole:
            sent = self._sent(whole)
            if sent < len(whole) or not whole:
                await self.stream.send_all(whole[sent:])

    def _sent(self, data: memoryview) -> int:
        """Send what the socket takes now; returns the number of bytes."""
        if not data:
            return 0
        with _socket_errors():
            try:
                return os.write(self._open_file(), data)
            except BlockingIOError:
                return 0

    def _open_file(self) -> int:
        """The socket's file descriptor."""
        if (number := self.socket.fileno()) == -1:
            raise trio.ClosedResourceError("The socket was closed.")
        return number

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until sending is possible."""
        await self.stream.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        """End the sending half."""
        await self.stream.send_eof()

    async def aclose(self) -> None:
        """Close both halves."""
        await self.stream.aclose()


@contextmanager
def _socket_errors() -> Iterator[None]:
    """Raise a socket's errors as those of a stream."""
    try:
        yield
    except OSError as error:
        raise trio.BrokenResourceError(f"The connection has broken: {error}") from error
