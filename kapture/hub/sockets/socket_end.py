"""The end of a WebSocket: how it is closed, and how it ended, for error messages."""

from __future__ import annotations

from typing import Any, Protocol

import attrs
import trio


class Closable(Protocol):
    """A WebSocket."""

    async def aclose(self, code: int = ..., reason: str = ...) -> Any:
        """Send a close frame, and wait for the other end's."""


@attrs.frozen(kw_only=True)
class SocketEnd:
    """`code` 0: still open."""

    code: int = 0
    reason: str = ""
    by_tab: bool = False

    def __str__(self) -> str:
        return f"its socket closed with code {self.code}" if self.by_tab else self.reason or "the hub stopped"


async def close_socket(
    socket: Closable, code: int = 1000, reason: str = "", *, seconds: float = 1.0, shield: bool = False
) -> None:
    """Send a close frame, and wait `seconds` at most for the other end's.

    A program that has stopped, or reads nothing, never answers one. `shield`: although the task is cancelled.
    """
    with trio.move_on_after(seconds, shield=shield):
        await socket.aclose(code, reason)
