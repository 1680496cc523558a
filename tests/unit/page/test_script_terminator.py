"""Code that keeps a page busy is ended when its caller gives up, and nothing else is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.cdp import CdpConnection, PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.frame import ExecutionContext
from kapture.page.script_terminator import ScriptTerminator
from tests.support.cdp_transports import SilentTransport

LOOP = "while (true);"
ASKS = "Runtime.releaseObjectGroup"
"""Whether the page is busy."""


class Browser(SilentTransport):
    """A page that is busy or not; pausing it is reported as Chromium does."""

    def __init__(self, *, busy: bool) -> None:
        self.busy = busy
        self.sent: list[tuple[str, Mapping[str, Any]]] = []
        self.connection = CdpConnection(self)
        self.context = ExecutionContext("M", "main", self.connection.root, "context-1", 1, "")

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.append((method, params))
        reply = PendingReply()
        if method != ASKS or not self.busy:
            reply.resolve({})
        if method == "Debugger.pause":
            self.connection.deliver("Debugger.paused", {}, None)
        return reply

    def methods(self) -> list[str]:
        return [method for method, _ in self.sent]

    async def give_up_on(self, work: Callable[[], Awaitable[None]], code: str, **options: Any) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ScriptTerminator(self.context, code, **options).run, work)
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()


async def test_a_script_that_keeps_the_page_busy_is_ended_when_its_caller_gives_up(autojump_clock: MockClock) -> None:
    browser = Browser(busy=True)
    await browser.give_up_on(trio.sleep_forever, LOOP)
    assert browser.methods() == [
        "Debugger.enable",
        ASKS,
        "Debugger.pause",
        "Debugger.resume",
        "Debugger.disable",
    ]
    assert ("Debugger.resume", {"terminateOnResume": True}) in browser.sent


class WithoutDebugger(Browser):
    """The grant does not allow the debugger."""

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if not method.startswith("Debugger."):
            return super().submit(method, params, session_id)
        reply = PendingReply()
        reply.fail(KaptureError(ErrorCode.POLICY_DENIED, "The debugger needs full."))
        return reply


async def test_busy_script_is_terminated_when_debugger_is_refused(autojump_clock: MockClock) -> None:
    browser = WithoutDebugger(busy=True)
    await browser.give_up_on(trio.sleep_forever, LOOP)
    assert [*dict.fromkeys(browser.methods())] == [
        ASKS,
        "Performance.getMetrics",  # does the browser stand still?
        "Runtime.terminateExecution",
    ]


async def test_slow_page_is_left_alone_when_debugger_is_refused(autojump_clock: MockClock) -> None:
    class Late(WithoutDebugger):
        def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
            reply = super().submit(method, params, session_id)
            if method == ASKS:
                self.asked = reply
            return reply

        async def goes_on(self) -> None:
            await trio.sleep(0.9)
            self.asked.resolve({})

    browser = Late(busy=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(browser.goes_on)
        await browser.give_up_on(trio.sleep_forever, LOOP)
    assert "Runtime.terminateExecution" not in browser.methods()


async def test_a_script_that_only_waits_is_left_alone(autojump_clock: MockClock) -> None:
    browser = Browser(busy=False)
    await browser.give_up_on(trio.sleep_forever, LOOP)
    assert "Debugger.pause" not in browser.methods()
    assert browser.methods()[-1] == "Debugger.disable"


async def test_a_page_that_answers_late_is_not_paused_and_nothing_in_it_is_ended(autojump_clock: MockClock) -> None:
    class Late(Browser):
        """The machine stalls: the answer comes, and only then is the next thing that runs paused."""

        def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
            self.sent.append((method, params))
            reply = PendingReply()
            if method == ASKS:
                self.asked = reply
                return reply
            reply.resolve({})
            if method == "Debugger.pause":
                self.asked.resolve({})
                self.connection.deliver("Debugger.paused", {}, None)
            return reply

    browser = Late(busy=False)
    await browser.give_up_on(trio.sleep_forever, LOOP)
    assert browser.methods()[2:] == ["Debugger.pause", "Debugger.resume", "Debugger.disable"]
    assert ("Debugger.resume", {}) in browser.sent


async def test_a_script_is_ended_though_the_machine_stalls_for_seconds(autojump_clock: MockClock) -> None:
    class Stalled(Browser):
        def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
            if method != "Debugger.pause":
                return super().submit(method, params, session_id)
            self.sent.append((method, params))
            self.stalled = PendingReply()
            return self.stalled

        async def goes_on(self) -> None:
            await trio.sleep(3)
            self.stalled.resolve({})
            self.connection.deliver("Debugger.paused", {}, None)

    browser = Stalled(busy=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(browser.goes_on)
        await browser.give_up_on(trio.sleep_forever, LOOP)
    assert ("Debugger.resume", {"terminateOnResume": True}) in browser.sent


@pytest.mark.parametrize(
    ("code", "from_the_start"),
    [
        ("while (true) {}", True),
        ("do { spin() } while (busy)", True),
        ("for (;;) await 0", True),
        ("for (let i = 0; i < n; i++) { spin() }", True),
        ("await fetch('/x').then(r => r.json())", False),
        ("for (const link of document.links) { seen.push(link.href) }", False),
        ("[...document.links].forEach(link => link.click())", False),
    ],
)
async def test_only_code_that_may_never_end_has_the_debugger_from_the_start(code: str, from_the_start: bool) -> None:
    browser = Browser(busy=False)

    async def work() -> None:
        assert (browser.methods() == ["Debugger.enable"]) is from_the_start

    await ScriptTerminator(browser.context, code).run(work)


async def test_a_debugger_statement_of_the_page_does_not_stop_it_for_nobody() -> None:
    browser = Browser(busy=False)

    async def work() -> None:
        browser.connection.deliver("Debugger.paused", {}, None)

    await ScriptTerminator(browser.context, LOOP).run(work)
    assert browser.methods() == ["Debugger.enable", "Debugger.resume", "Debugger.disable"]
    assert ("Debugger.resume", {}) in browser.sent


async def test_errors_of_the_work_are_raised_as_they_are() -> None:
    browser = Browser(busy=False)

    async def work() -> None:
        raise KaptureError(ErrorCode.EXECUTION_ERROR, "boom")

    with pytest.raises(KaptureError, match="boom"):
        await ScriptTerminator(browser.context, LOOP).run(work)
    assert browser.methods() == ["Debugger.enable", "Debugger.disable"]
