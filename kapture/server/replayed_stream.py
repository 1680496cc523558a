"""A TCP stream whose first bytes have been read already, and are read again."""

from __future__ import annotations

import trio


class ReplayedStream(trio.abc.HalfCloseableStream):
    """Returns the bytes that were read before first, then reads on."""

    def __init__(self, stream: trio.SocketStream, first: bytes) -> None:
        self.stream = stream
        self.socket = stream.socket  # Hypercorn reads its addresses
        self._first = first

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive: first the bytes that were read before, then those of the stream."""
        if self._first:
            await trio.lowlevel.checkpoint()
            size = len(self._first) if max_bytes is None else max_bytes
            given, self._first = self._first[:size], self._first[size:]
            return given
        return await self.stream.receive_some(max_bytes)

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
