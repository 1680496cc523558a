"""A TCP stream whose first bytes have been read already, and are read again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

from kapture.eager_stream import WholeStream

_FEWEST_BYTES = 4 * 1024
_MOST_BYTES = 256 * 1024


class ReplayedStream(trio.abc.HalfCloseableStream):
    """Returns the bytes that were read before first, then reads on.

    It reads few bytes at a time, and more while they keep coming. A read allocates as much memory as it asks for, and
    gives back what was not needed; where something small is then put into that gap, the next read does not fit there
    any more. With a thousand connections and 256 kB a read, memory grew by 15 MB a minute.
    """

    def __init__(
        self,
        stream: trio.SocketStream | WholeStream,
        first: bytes,
        may_receive: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        """`may_receive` is awaited before each read with the number of bytes that were received so far."""
        self.stream = stream
        self.socket = stream.socket  # Hypercorn reads its addresses
        self._first = first
        self._next_bytes = _FEWEST_BYTES
        self._may_receive = may_receive
        self._received = len(first)

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
        """Send."""
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until sending is possible."""
        await self.stream.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        """End the sending half."""
        await self.stream.send_eof()

    async def aclose(self) -> None:
        """Close both halves."""
        await self.stream.aclose()


class ReplayedWholeStream(ReplayedStream):
    """The same below a WebSocket."""

    def __init__(self, stream: WholeStream, first: bytes, may_receive: Callable[[int], Awaitable[None]]) -> None:
        super().__init__(stream, first, may_receive)
        self._whole_stream = stream

    def send_now(self, data: bytes) -> bool:
        """Send what the connection takes at once; returns whether that is all."""
        return self._whole_stream.send_now(data)
