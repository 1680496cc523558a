"""Terminating scripts that keep a page, or a worker, busy."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

import trio

from kapture.cdp import CdpError, CdpSession, PendingReply
from kapture.cdp.program import Json
from kapture.errors import KaptureError, PolicyDenied
from kapture.page.documents.frame import ExecutionContext

# Terminating whatever script keeps a page, or a worker, from answering.
#
# `Runtime.terminateExecution` ends what runs when it arrives. A browser that has stood still, because its machine did,
# has not answered either, and what it runs when it goes on has done nothing wrong. So it is not time that counts, but
# what the browser answers meanwhile: `Performance.getMetrics` interrupts a running script, as few methods do.

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


# Terminating a script that keeps a page busy.
#
# The debugger can pause a script and resume it with the order to terminate: while it is paused, nothing else can have
# begun to run instead. It can only be enabled while the page is not busy, and then reports every script of the
# document,
# which takes longer than most code does (eight tabs that wait 50 ms at once: 110 ms instead of 65). So it is enabled
# beforehand only for code that may never end; other code gets 100 ms first. Where it is not enabled, because the page
# was busy by then or the grant does not allow it, whatever keeps the page busy is terminated (`busy_script`).

_T = TypeVar("_T")

# Loops that end by a condition. `for … of` and `for … in` end with their iterables.
# One that this does not find, as it is long, gets its 100 ms first.
_MAY_NOT_END = re.compile(r"\b(while|do)\b|\bfor\s{0,9}(await\s{0,9})?\([^;{]{0,80};")
_SOON_S = 0.1
_IS_BUSY_AFTER_S = 0.1
_STOPPED_WITHIN_S = 5.0
"""Only a machine that is busy itself needs longer than a moment; a loop that is left would block the tab for ever."""


def may_not_end(code: str) -> bool:
    """Whether code has loops that may never end."""
    return _MAY_NOT_END.search(code) is not None


class ScriptTerminator:
    """Watches code that runs in the process of an execution context. `code` None: it is the page's own, and may never
    end. `debugged`: a client has enabled the debugger, which stays so, and what it pauses stays paused.

    If the block is cancelled while the page is busy, the running script is terminated, so that the tab stays usable.
    """

    def __init__(
        self, context: ExecutionContext, code: str | None, *, expects_to_wait: bool = False, debugged: bool = False
    ) -> None:
        self._context = context
        self._at_once = code is None or may_not_end(code)
        self._expects_to_wait = expects_to_wait
        self._debugged = debugged
        self._armed = False
        self._ending = False
        self._paused = False
        self._decided = trio.Event()
        """Set when it is known whether a script keeps the page busy: the page is paused, or it has answered."""
        self._off: Callable[[], None] = lambda: None

    async def run(self, work: Callable[[], Awaitable[_T]]) -> _T:
        """Run `work`, which must wait for its replies with `wait`."""
        if self._at_once:
            self._arm()
        ended = False
        try:
            value = await work()
            ended = True
            return value
        except Exception:
            ended = True
            raise
        finally:
            if not ended:  # cancelled: by `Cancelled`, or by a group of them if `work` has a nursery
                with trio.CancelScope(shield=True):
                    await self._end()
            self._disarm()

    async def wait(self, reply: PendingReply) -> Json:
        """Wait for the reply to a command that runs the code; enables the debugger if that takes a while."""
        if not self._armed and not self._expects_to_wait:
            with trio.move_on_after(_SOON_S):  # without the debugger for code that ends at once
                return await reply.wait()
            self._arm()
        return await reply.wait()

    @property
    def _session(self) -> CdpSession:
        return self._context.session

    def _arm(self) -> None:
        if not self._armed:
            self._armed = True
            self._off = self._session.on("Debugger.paused", self._on_paused)
            self._session.submit("Debugger.enable")

    def _on_paused(self, _: dict[str, Any]) -> None:
        if self._ending:
            self._paused = True
            self._decided.set()
        elif (
            not self._debugged
        ):  # a `debugger` statement of the page, or what runs after all has ended: it would be paused for ever
            self._session.submit("Debugger.resume")

    def _disarm(self) -> None:
        if self._armed:
            self._off()
            if not self._debugged:
                self._session.submit("Debugger.disable")

    async def _end(self) -> None:
        """Terminate what runs. A script that only waits is left alone: whatever runs next would be terminated
        instead. So is a page that answers late: it was the machine that was busy."""
        if not self._armed:
            return
        alive = ask_whether_busy(self._session.submit)
        alive.then(self._on_answer)
        with trio.move_on_after(_IS_BUSY_AFTER_S):
            await self._decided.wait()
        if alive.done:
            return
        self._ending = True
        try:
            with trio.move_on_after(_STOPPED_WITHIN_S):
                await self._session.send("Debugger.pause")
                await self._decided.wait()
                if self._paused:
                    await self._session.send("Debugger.resume", {"terminateOnResume": True})
        except KaptureError:  # the debugger is not enabled, or the page is gone
            await terminate_busy_script(self._session.submit, alive)

    def _on_answer(self, _: PendingReply) -> None:
        self._ending &= self._paused  # while it is paused it answers too
        self._decided.set()
