"""Terminating whatever script keeps a page, or a worker, from answering.

`Runtime.terminateExecution` ends what runs when it arrives. A browser that has stood still, because its machine did,
has not answered either, and what it runs when it goes on has done nothing wrong. So it is not time that counts, but
what the browser answers meanwhile: `Performance.getMetrics` interrupts a running script, as few methods do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

import trio

from kapture.cdp import CdpError, PendingReply
from kapture.errors import KaptureError, PolicyDenied

Submit: TypeAlias = Callable[[str, Mapping[str, Any]], PendingReply]

_ASKS_EACH_S = 0.1
_IS_BUSY_AFTER_ANSWERS = 10
_END_WITHIN_S = 10.0
"""Only a machine that is busy itself needs longer than a second; a loop that is left would block the tab for ever."""


def ask_whether_busy(submit: Submit) -> PendingReply:
    """A reply that comes when no script keeps the page, or the worker, busy. The question passes in every document: the
    grant may have been narrowed since the script was started."""
    return submit("Runtime.releaseObjectGroup", {"objectGroup": "kapture-nothing"})


async def terminate_busy_script(submit: Submit, alive: PendingReply) -> None:
    """Terminate the running script, unless `alive`, the reply to a question such as `ask_whether_busy`, comes first.

    `submit` sends a command to the same session. Returns when the script has ended, or cannot be ended.
    """
    with trio.move_on_after(_END_WITHIN_S), suppress(KaptureError):  # the session has ended
        for _ in range(_IS_BUSY_AFTER_ANSWERS):
            await trio.sleep(_ASKS_EACH_S)
            if alive.done:
                return
            # A worker has none, and an extension older than the hub refuses it: both say so in the same way.
            with suppress(CdpError, PolicyDenied):
                await submit("Performance.getMetrics", {}).wait()
            if alive.done:
                return
        await submit("Runtime.terminateExecution", {}).wait()
