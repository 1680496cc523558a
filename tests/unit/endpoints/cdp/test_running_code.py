"""Code that a script leaves behind is terminated if it keeps the page busy, and only then."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.cdp import PendingReply
from kapture.endpoints.cdp.page_session import RunningCode
from kapture.errors import ErrorCode, KaptureError
from tests.support.cdp_transports import SilentTransport
from tests.unit.endpoints.cdp.fake_browser import world

BUSY = ("Runtime.evaluate", "Runtime.releaseObjectGroup")
"""Commands that a busy page leaves unanswered."""


class Browser(SilentTransport):
    """Says after some time that it is not busy; other questions it answers at once, unless it stands still."""

    def __init__(self, nursery: trio.Nursery, seconds: float = 0, *, stands_still: float = 0) -> None:
        self.sent: list[tuple[str, str | None]] = []
        self.gone = False
        self._nursery = nursery
        self._seconds = seconds
        self._goes_on_at = trio.current_time() + stands_still

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if self.gone:
            raise KaptureError(ErrorCode.DETACHED, "The session has ended.")
        self.sent.append((method, session_id))
        reply = PendingReply()
        if method == "Runtime.releaseObjectGroup":
            self._nursery.start_soon(self._answer, reply, self._seconds)
        elif trio.current_time() >= self._goes_on_at:
            reply.resolve({})
        else:
            self._nursery.start_soon(self._answer, reply, 0)
        return reply

    async def _answer(self, reply: PendingReply, seconds: float) -> None:
        await trio.sleep_until(max(self._goes_on_at, trio.current_time()) + seconds)
        reply.resolve({})


@pytest.mark.parametrize(("seconds", "terminated"), [(0, False), (0.9, False), (30, True)])
async def test_only_code_that_keeps_the_page_busy_is_terminated(
    seconds: float, terminated: bool, autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        browser, running = Browser(nursery, seconds), RunningCode()
        running.sent("Runtime.callFunctionOn", None, PendingReply())
        running.sent("Runtime.evaluate", "frame", PendingReply())
        await running.end(browser)
        nursery.cancel_scope.cancel()
    ended = {session_id for method, session_id in browser.sent if method == "Runtime.terminateExecution"}
    assert ended == ({None, "frame"} if terminated else set())


@pytest.mark.parametrize(("seconds", "terminated"), [(0.5, False), (30, True)])
async def test_a_browser_that_has_stood_still_gets_the_same_second(
    seconds: float, terminated: bool, autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        browser, running = Browser(nursery, seconds, stands_still=5), RunningCode()
        running.sent("Runtime.evaluate", None, PendingReply())
        await running.end(browser)
        nursery.cancel_scope.cancel()
    assert (("Runtime.terminateExecution", None) in browser.sent) is terminated


async def test_code_is_terminated_although_the_script_was_cancelled(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery:
        browser, running = Browser(nursery, 30), RunningCode()
        running.sent("Runtime.evaluate", None, PendingReply())
        with trio.CancelScope() as scope:
            scope.cancel()
            await running.end(browser)
        nursery.cancel_scope.cancel()
    assert ("Runtime.terminateExecution", None) in browser.sent


@pytest.mark.parametrize("seen_by", ["nobody", "hub", "script"])
async def test_code_that_a_dialog_keeps_waiting_is_left_alone(
    seen_by: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            session = await script.attach("T-tab1")
            [page] = tab.sessions
            submit = page.submit

            def busy(method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
                return PendingReply() if method in BUSY else submit(method, params, session_id)

            page.submit = busy  # type: ignore[method-assign]
            await script.post("Runtime.evaluate", {"expression": "prompt()"}, session)
            await wait_all_tasks_blocked()
            if seen_by == "script":
                opened = {"url": tab.url, "message": "", "type": "prompt", "hasBrowserHandler": False}
                page.deliver("Page.javascriptDialogOpening", opened, None)
            elif seen_by == "hub":
                tab.blocked = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")
        await trio.sleep(10)
        terminated = "Runtime.terminateExecution" in [method for method, _, _ in page.sent]
        assert terminated is (seen_by == "nobody")
