"""Messages to one client, in order, bounded, for a task that sends.

Unlike `kapture.backends.outbox.Outbox`, which refuses what is too much, its sender waits until the client reads.
"""

from __future__ import annotations

from collections import deque

from trio_websocket import WebSocketConnection

from kapture.changed import Changed

LIMIT_BYTES = 8 * 2**20


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

    async def room(self) -> None:
        """Wait until no more than the limit waits to be sent."""
        while self._waiting_bytes > self._limit_bytes:
            await self._emptied.wait()

    async def flushed(self) -> None:
        """Wait until everything is sent."""
        while self._waiting_bytes:
            await self._emptied.wait()

    async def send(self, frame: str) -> None:
        """Queue a message, once there is room."""
        await self.room()
        self._frames.append(frame)
        self._waiting_bytes += len(frame)
        self._filled.notify()

    async def write_to(self, socket: WebSocketConnection) -> None:
        """Write messages until cancelled or `ConnectionClosed`."""
        while True:
            while self._frames:
                frame = self._frames.popleft()
                await socket.send_message(frame)
                self._waiting_bytes -= len(frame)
                self._emptied.notify()
            await self._filled.wait()
