"""A call of the agent that was sent."""

from __future__ import annotations

from typing import Any, Protocol

from kapture.cdp import PendingReply, ResultReference


class PendingCall(Protocol):
    """A call of the agent that was sent."""

    @property
    def reply(self) -> PendingReply:
        """The browser's answer."""

    @property
    def value(self) -> ResultReference:
        """A reference to its value, for later steps of the same program."""

    async def finish(self) -> Any:
        """Wait for its value."""
