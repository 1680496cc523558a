"""What is below a WebSocket."""

from __future__ import annotations

from typing import Protocol

import trio

FAILURES = (trio.BrokenResourceError, trio.ClosedResourceError)
"""What a stream raises whose other end has gone."""


class Stream(Protocol):
    """A connection. A send that is cancelled or incomplete is completed by the next one."""

    async def receive_some(self) -> bytes | bytearray:
        """Wait for bytes; b"" at the end."""

    async def send_all(self, data: bytes) -> None:
        """Send."""

    def send_now(self, data: bytes) -> bool:
        """Send what the connection takes at once; returns whether that is all. The next send begins with the rest."""

    async def aclose(self) -> None:
        """Close both halves."""
