"""The code of a script that has not ended when the script leaves.

The browser lets it run on. That it waits for something is no matter; if it keeps the page busy, the tab would answer
nobody any more.
"""

from __future__ import annotations

from contextlib import suppress

import trio

from kapture.cdp import CdpTransport, PendingReply
from kapture.errors import KaptureError

_RUNS_CODE = frozenset({"Runtime.evaluate", "Runtime.callFunctionOn", "Runtime.runScript"})
_IS_BUSY_AFTER_S = 1.0
"""A machine that stalls must not end what runs by then."""
_END_WITHIN_S = 5.0


class RunningCode:
    """The commands of one session, and of its frames and workers, that run code and are unanswered."""

    def __init__(self) -> None:
        self._unanswered: dict[PendingReply, str | None] = {}

    def sent(self, method: str, session_id: str | None, reply: PendingReply) -> None:
        """Note a command."""
        if method in _RUNS_CODE:
            self._unanswered[reply] = session_id
            reply.then(self._answered)

    def _answered(self, reply: PendingReply) -> None:
        self._unanswered.pop(reply, None)

    async def end(self, transport: CdpTransport) -> None:
        """Terminate what keeps the page, or one of its frames or workers, busy."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for session_id in {*self._unanswered.values()}:
                    nursery.start_soon(_end, transport, session_id)


async def _end(transport: CdpTransport, session_id: str | None) -> None:
    with suppress(KaptureError):  # the session has ended
        transport.submit("Debugger.disable", {}, session_id)  # code that is paused answers nothing, and goes on now
        if not await _settles(transport.submit("Runtime.evaluate", {"expression": "0"}, session_id), _IS_BUSY_AFTER_S):
            await _settles(transport.submit("Runtime.terminateExecution", {}, session_id), _END_WITHIN_S)


async def _settles(reply: PendingReply, seconds: float) -> bool:
    with trio.move_on_after(seconds):
        with suppress(KaptureError):
            await reply.wait()
        return True
    return False
