"""The byte streams below WebSockets and HTTP connections."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

_FEWEST_BYTES = 4 * 1024
_MOST_BYTES = 64 * 1024


class TcpStream(trio.abc.HalfCloseableStream):
    """A connection that returns the bytes read before first, and completes cancelled sends.

    It reads few bytes at a time, and more while they keep coming. A read allocates as much memory as it asks for, and
    gives back what was not needed; where something small is then put into that gap, the next read does not fit there
    any more. With a thousand connections and 256 kB a read, memory grew by 15 MB a minute.
    """

    def __init__(
        self,
        stream: trio.SocketStream,
        first: bytes = b"",
        may_receive: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        """`may_receive` is awaited before each read with the number of bytes that were received so far."""
        self.stream = stream
        self.socket = stream.socket  # Hypercorn reads its addresses
        self._first = first
        self._next_bytes = _FEWEST_BYTES
        self._may_receive = may_receive
        self._received = len(first)
        self._rest = b""  # of a send that was cancelled

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive: first the bytes that were read before, then those of the stream."""
        if self._first:
            await trio.lowlevel.checkpoint()
            size = len(self._first) if max_bytes is None else max_bytes
            given, self._first = self._first[:size], self._first[size:]
            return given
        if self._may_receive is not None:
            await self._may_receive(self._received)
        size = self._next_bytes if max_bytes is None else min(self._next_bytes, max_bytes)
        received = await self.stream.receive_some(size)
        self._received += len(received)
        self._next_bytes = min(4 * self._next_bytes, _MOST_BYTES) if len(received) == size else _FEWEST_BYTES
        return received

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send. If cancelled after the first byte, the next call sends the rest before its own data: a close frame
        never lands inside another frame."""
        begins = len(self._rest)
        sent = 0
        with memoryview(self._rest + bytes(data) if begins else data) as whole:
            try:
                while sent < len(whole):
                    sent += await self.socket.send(whole[sent:])
            except OSError as error:
                closed = self.socket.fileno() == -1
                raise (trio.ClosedResourceError if closed else trio.BrokenResourceError) from error
            finally:
                self._rest = bytes(whole[sent:] if sent > begins else whole[sent:begins])

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until sending is possible."""
        await self.stream.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        """End the sending half."""
        await self.stream.send_eof()

    async def aclose(self) -> None:
        """Close both halves."""
        await self.stream.aclose()


class WatchedStream(trio.abc.Stream):
    """A stream that reports when the other side has ended it, which trio-websocket does not while it waits for the
    answer to its handshake. `on_data` is called whenever data has come, be it a part of a message only."""

    def __init__(self, stream: trio.abc.Stream, on_data: Callable[[], None] = lambda: None) -> None:
        self._stream = stream
        self._on_data = on_data
        self._ended = trio.Event()

    async def until_ended(self) -> None:
        """Raise `BrokenResourceError` when the other side has ended the stream."""
        await self._ended.wait()
        raise trio.BrokenResourceError

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """As the stream does."""
        try:
            data = await self._stream.receive_some(max_bytes)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._ended.set()
            raise
        if not data:
            self._ended.set()
        self._on_data()
        return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """As the stream does."""
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """As the stream does."""
        await self._stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        """As the stream does."""
        await self._stream.aclose()
