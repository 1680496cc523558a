"""Input on its way into the page.

The browser answers an input event when the page has handled it. A page that opens a dialog, navigates away, closes its
tab or crashes in its handler may never answer; then the event was delivered all the same, and waiting ends.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

import attrs

from kapture.cdp import CdpError, CdpSession, Condition, PendingReply, is_gone
from kapture.cdp.pending_replies import INPUT
from kapture.errors import KaptureError

MOST_AHEAD = 400
"""Events that are sent before the page has handled those before them: what is sent cannot be taken back when the call
is cancelled, or the grant narrowed. Text that is typed key by key by default has no more."""


@attrs.frozen
class InputEvent:
    """One event: a method of CDP's Input domain and its parameters."""

    method: str
    params: Mapping[str, Any]


SendInput: TypeAlias = Callable[[Sequence[InputEvent]], Awaitable[None]]
"""Sends events together and returns when the page has handled all of them."""


class InputQueue:
    """The input of one tab, sent on its root session, which dispatches it to the right frame."""

    def __init__(self, session: CdpSession, blocked: Callable[[], KaptureError | None]) -> None:
        self._session = session
        self._blocked = blocked

    def submit(
        self, events: Sequence[InputEvent], *, wait_for_previous: bool = False, requires: Sequence[Condition] = ()
    ) -> list[PendingReply]:
        """Send events without waiting; `finish` waits. `DIALOG_OPEN` while a dialog blocks input.

        In `CdpConnection.together`. `wait_for_previous`, `requires`: apply to the first event, see `CdpCommand`.
        """
        if blocked := self._blocked():
            raise blocked
        # What is to watch the effects must not come after them, and input overtakes scripts on its way into the page.
        watched = self._session.connection.send_due()
        return [
            self._session.submit(
                event.method,
                event.params,
                wait_for_previous=(wait_for_previous or watched) if at == 0 else at % MOST_AHEAD == 0,
                requires=requires if at == 0 else (),
                needs=INPUT,
            )
            for at, event in enumerate(events)
        ]

    async def send(self, events: Sequence[InputEvent]) -> None:
        """Send events together and wait until the page has handled all of them."""
        with self._session.connection.together():
            replies = self.submit(events)
        await self.finish(replies)

    async def finish(self, replies: Sequence[PendingReply]) -> None:
        """Wait until the page has handled these events, or has gone away: a key may close the tab before it is up."""
        failure: KaptureError | None = None
        for reply in replies:
            try:
                await reply.wait()
            except KaptureError as error:
                if is_gone(error):
                    continue
                if not isinstance(error, CdpError):
                    raise
                failure = failure or error
        if failure is not None:
            raise failure

    def release(self) -> None:
        """Stop waiting for pending events: a dialog opened, or the page went away."""
        self._session.connection.pending.resolve_input()
