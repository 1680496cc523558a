"""Messages to one client, in order: sent without waiting if possible, otherwise queued, bounded, for a task that sends.

Unlike `kapture.backends.outbox.Outbox`, which refuses what is too much, its sender waits until the client reads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from kapture.changed import Changed

LIMIT_BYTES = 8 * 2**20


class Writer(Protocol):
    """The part of a WebSocket that writes."""

    def send_now(self, message: str) -> bool:
        """As `kapture.backends.outbox.EagerSocket.send_now`."""

    async def send_message(self, message: str) -> None:
        """Send one text frame; raises `trio_websocket.ConnectionClosed`."""


class Outgoing:
    """Messages for one client. A sender that is cancelled leaves no message cut off halfway.

    A client that does not read must not make the hub keep its answers: while more than `limit_bytes` wait, `send`
    waits, and whoever reads the client's requests should wait for `room` before the next. Each character counts as one
    byte, because the limit need not be exact.
    """

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._frames: deque[str] = deque()
        self._filled = Changed()
        self._emptied = Changed()
        self._waiting_bytes = 0
        self._send_now: Callable[[str], bool] = _not_now

    async def room(self) -> None:
        """Wait until no more than the limit waits to be sent."""
        while self._waiting_bytes > self._limit_bytes:
            await self._emptied.wait()

    async def flushed(self) -> None:
        """Wait until everything is sent."""
        while self._waiting_bytes:
            await self._emptied.wait()

    async def send(self, frame: str) -> None:
        """Send or queue a message, once there is room."""
        await self.room()
        if not self._waiting_bytes and self._send_now(frame):
            return
        self._frames.append(frame)
        self._waiting_bytes += len(frame)
        self._filled.notify()

    async def write_to(self, writer: Writer) -> None:
        """Write messages until cancelled or `ConnectionClosed`."""
        self._send_now = writer.send_now
        try:
            while True:
                while self._frames:
                    frame = self._frames.popleft()
                    await writer.send_message(frame)
                    self._waiting_bytes -= len(frame)
                    self._emptied.notify()
                await self._filled.wait()
        finally:
            self._send_now = _not_now


def _not_now(_: str) -> bool:
    return False
