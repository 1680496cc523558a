"""The code of a script that has not ended when the script leaves.

The browser lets it run on. If it only waits for something, that does no harm; if it keeps the page busy, the tab would
not answer anybody any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import trio

from kapture.cdp import CdpTransport, PendingReply
from kapture.errors import KaptureError
from kapture.page.scripts.busy_script import ask_whether_busy, terminate_busy_script

_RUNS_CODE = frozenset({"Runtime.evaluate", "Runtime.callFunctionOn", "Runtime.runScript"})


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
    def submit(method: str, params: Mapping[str, Any]) -> PendingReply:
        return transport.submit(method, params, session_id)

    with suppress(KaptureError):  # the session has ended
        submit("Debugger.disable", {})  # code that is paused answers nothing, and goes on now
        await terminate_busy_script(submit, ask_whether_busy(submit))
