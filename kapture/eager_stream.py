"""The TCP streams below WebSockets: a cancelled send is completed by the next, and nothing waits that need not."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import trio

AVAILABLE = sys.platform != "win32"
"""Whether sockets can be read and written by file descriptor."""


class WholeStream(trio.abc.HalfCloseableStream):
    """The next send completes what a cancelled one has begun: a close frame never lands inside another frame.

    Its user must let no two tasks send at the same time: a WebSocket takes a lock for each message.
    """

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.socket = stream.socket
        self._rest = b""  # of the send that was cancelled

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Wait for bytes and receive them; b"" at the end."""
        return bytes(await self.stream.receive_some(max_bytes))

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send. If cancelled after the first byte, the next call sends the rest before its own data."""
        begins = len(self._rest)
        sent = 0
        with memoryview(self._rest + bytes(data) if begins else data) as whole:
            try:
                while sent < len(whole):
                    sent += await self._send_some(whole[sent:])
            finally:
                self._rest = bytes(whole[sent:] if sent > begins else whole[sent:begins])

    def send_now(self, data: bytes) -> bool:
        """Send what the socket takes without waiting. Returns whether that is all; the next send begins with the rest.

        Not while another task sends. `BrokenResourceError` if the connection has broken.
        """
        self._rest += data
        return False

    async def _send_some(self, data: memoryview) -> int:
        """Send at least one byte; returns the number of bytes. If cancelled, nothing was sent."""
        self._open_file()
        with _socket_errors():
            return await self.socket.send(data)

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


class EagerStream(WholeStream):
    """Writes without a checkpoint if the socket takes all, and reads only when something has arrived.

    Trio's own stream tries each read first, which mostly fails, and yields after each write: with it a command cost the
    hub 2 to 9 % more processor time. So its user must yield elsewhere.
    """

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Wait for bytes and receive them; b"" at the end."""
        if max_bytes is None:
            return await super().receive_some()
        with _socket_errors():
            while True:
                await trio.lowlevel.wait_readable(self._open_file())
                try:
                    return os.read(self._open_file(), max_bytes)
                except BlockingIOError:
                    continue  # what made it readable is gone, as after a wrong checksum

    def send_now(self, data: bytes) -> bool:
        """The same."""
        if self._rest:
            return super().send_now(data)
        try:
            sent = os.write(self._open_file(), data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise _broken(error) from error
        self._rest = bytes(data[sent:])
        return not self._rest

    async def _send_some(self, data: memoryview) -> int:
        """The same; a checkpoint only if it has to wait."""
        with _socket_errors():
            while True:
                try:
                    return os.write(self._open_file(), data)
                except BlockingIOError:
                    await trio.lowlevel.wait_writable(self._open_file())


def over(stream: trio.SocketStream) -> WholeStream:
    """The most eager stream that the system allows for this socket."""
    return EagerStream(stream) if AVAILABLE else WholeStream(stream)


@contextmanager
def _socket_errors() -> Iterator[None]:
    """Raise a socket's errors as those of a stream."""
    try:
        yield
    except OSError as error:
        raise _broken(error) from error


def _broken(error: OSError) -> trio.BrokenResourceError:
    return trio.BrokenResourceError(f"The connection has broken: {error}")
