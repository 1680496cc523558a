"""Input on its way into the page.

The browser answers an input event when the page has handled it. A page that opens a dialog, navigates away or
crashes in its handler may never answer; then the event has still been delivered, and waiting ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kapture.cdp import CdpError, CdpSession, PendingReply
from kapture.cdp.pending_replies import INPUT
from kapture.errors import KaptureError


class InputQueue:
    """The input of one tab, sent on its root session, which finds the frame that is meant."""

    def __init__(self, session: CdpSession, blocked: Callable[[], KaptureError | None]) -> None:
        self._session = session
        self._blocked = blocked

    def submit(self, method: str, params: Mapping[str, Any]) -> PendingReply:
        """Send one event without waiting; `finish` waits. `DIALOG_OPEN` while a dialog keeps input away."""
        if blocked := self._blocked():
            raise blocked
        return self._session.submit(method, params, needs=INPUT)

    async def send(self, method: str, params: Mapping[str, Any]) -> None:
        """Send one event and wait until the page has handled it."""
        await self.finish([self.submit(method, params)])

    async def finish(self, replies: Sequence[PendingReply]) -> None:
        """Wait until the page has handled all of them."""
        failure: KaptureError | None = None
        for reply in replies:
            try:
                await reply.wait()
            except CdpError as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def release(self) -> None:
        """Nothing more will be answered: a dialog opened, or the page went away."""
        self._session.connection.pending.resolve_input()
