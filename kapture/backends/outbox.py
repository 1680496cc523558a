"""Messages to one socket, in order, bounded, for the one task that sends them."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.wire.codec import MAX_MESSAGE_BYTES


class Socket(Protocol):
    """The part of a WebSocket that the hub needs; trio-websocket's connections have it."""

    async def get_message(self) -> str | bytes:
        """Wait for the next message; raises `trio_websocket.ConnectionClosed`."""

    async def send_message(self, message: str) -> None:
        """Send one text frame; raises `trio_websocket.ConnectionClosed`."""

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        """Close with a code."""


class Outbox:
    """Messages for one socket. `put` never waits; a single task sends."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._frames: deque[str] = deque()
        self._sizes: deque[tuple[int, bool]] = deque()  # in bytes, and whether the limit counts them
        self._filled = Changed()
        self._emptied = Changed()
        self.buffered_bytes = 0
        self.limited_bytes = 0
        """Bytes that count towards the limit."""
        self.closed = False

    def put(self, frame: str, *, limited: bool = True) -> None:
        """Queue a frame; `QUEUE_FULL` if too much is queued already. A single frame may exceed the limit.

        A frame that is not `limited` is always queued, and does not count towards the limit.
        """
        size = len(frame) if frame.isascii() else len(frame.encode())
        if size > MAX_MESSAGE_BYTES:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"This needs a message of {size} bytes; the limit is {MAX_MESSAGE_BYTES}.",
                hint="Send it in parts.",
            )
        if limited and self.limited_bytes and self.limited_bytes + size > self._limit_bytes:
            raise KaptureError(
                ErrorCode.QUEUE_FULL,
                f"The tab reads too slowly: {self.limited_bytes} bytes are waiting to be sent.",
                hint="Wait for running commands to end, or send less at once.",
                data={"limitBytes": self._limit_bytes},
            )
        if self.closed:
            return
        self._frames.append(frame)
        self._sizes.append((size, limited))
        self.buffered_bytes += size
        self.limited_bytes += size if limited else 0
        self._filled.notify()

    def offer(self, frame: str) -> bool:
        """Queue a message that may be dropped; returns False if it was."""
        try:
            self.put(frame)
        except KaptureError:
            return False
        return True

    async def write_to(self, socket: Socket) -> None:
        """Send messages until cancelled or `ConnectionClosed`."""
        while True:
            while self._frames:
                frame, (size, limited) = self._frames.popleft(), self._sizes.popleft()
                await socket.send_message(frame)
                self.buffered_bytes -= size
                self.limited_bytes -= size if limited else 0
            self._emptied.notify()
            await self._filled.wait()

    async def flushed(self) -> None:
        """Wait until everything queued has been sent."""
        while self.buffered_bytes:
            await self._emptied.wait()

    def close(self) -> None:
        """Drop what is queued, and accept no more."""
        self.closed = True
        self._frames.clear()
        self._sizes.clear()
