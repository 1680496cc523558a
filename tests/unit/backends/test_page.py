"""Common behaviour of the pages of backends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from kapture.backends.closing_question import expecting_end, raising_question
from kapture.backends.tab_page import TabPage
from kapture.cdp import CdpConnection
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.page.dialogs import DialogPolicy, Dialogs
from tests.support.cdp_transports import EmptyTransport, SilentTransport


class FakeDialogs:
    """One open dialog, until it is closed."""

    def __init__(self) -> None:
        self.changed = Changed()
        self._open = True

    def blocked(self) -> KaptureError | None:
        return KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.") if self._open else None

    async def close(self) -> None:
        self._open = False
        self.changed.notify()


@asynccontextmanager
async def no_page(*_: Any) -> Any:
    yield


async def test_the_end_of_a_dialog_is_noticed_at_whatever_moment_it_comes() -> None:
    for _ in range(64):  # Trio runs tasks that are ready in any order
        dialogs = FakeDialogs()
        page = TabPage(cast("Any", SimpleNamespace(tab_id="t1")), SilentTransport(), no_page, lambda _: None)
        there: Any = SimpleNamespace(dialogs=dialogs)
        page.attached.now = there
        with trio.fail_after(30):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(page.unblocked)
                nursery.start_soon(dialogs.close)


async def test_reason_for_ended_session_is_not_awaited_after_page_change(
    autojump_clock: trio.testing.MockClock,
) -> None:
    page = TabPage(cast("Any", SimpleNamespace(tab_id="t1")), SilentTransport(), no_page, lambda _: None)
    first: Any = SimpleNamespace()
    page.attached.now = first
    error = KaptureError(ErrorCode.DETACHED, "The session ended.")

    async def another() -> None:
        await trio.testing.wait_all_tasks_blocked()
        page.attached.now = SimpleNamespace()  # type: ignore[assignment]
        page.attached.changed_state.notify()

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(another)
        assert await page.with_reason(error, first) is error
    assert trio.current_time() == began


# What becomes of closing a tab whose page asks whether to leave it.


class Asking:
    """A page whose dialogs a test opens and closes."""

    def __init__(self, policy: DialogPolicy) -> None:
        self.connection = CdpConnection(EmptyTransport())
        self.dialogs = Dialogs(on_open=lambda _: None, granted=lambda *_: True)
        self.dialogs.observe(self.connection.root)
        self.dialogs.policy = policy

    def ask(self, kind: str = "beforeunload") -> None:
        self.connection.deliver("Page.javascriptDialogOpening", {"type": kind, "message": "", "url": "u"}, None)

    def answered(self, accept: bool) -> None:
        self.connection.deliver("Page.javascriptDialogClosed", {"result": accept}, None)


async def closing(page: Any, happens: Callable[[], None]) -> None:
    """Close the tab of this page; it stays, and what happens meanwhile happens in one moment."""
    with trio.fail_after(10):
        async with raising_question(page):
            await trio.testing.wait_all_tasks_blocked()
            happens()
            await trio.sleep_forever()


async def test_a_question_that_is_dismissed_keeps_the_tab_open(autojump_clock: MockClock) -> None:
    page = Asking("dismiss")

    def happens() -> None:
        page.ask()
        page.answered(False)

    for _ in range(2):
        with pytest.raises(KaptureError, match="dismissed, as the dialog policy says: the tab stays open") as caught:
            await closing(page, happens)
        assert caught.value.code is ErrorCode.EXECUTION_ERROR
    with pytest.raises(trio.TooSlowError):
        await closing(page, lambda: None)  # an earlier question says nothing of this time


async def test_a_question_that_is_accepted_and_another_dialog_are_waited_out(
    autojump_clock: MockClock,
) -> None:
    page = Asking("accept")

    def happens() -> None:
        page.ask("alert")
        page.answered(False)
        page.ask()
        page.answered(True)

    with pytest.raises(trio.TooSlowError):
        await closing(page, happens)


async def test_a_question_that_nobody_has_answered_is_passed_on(autojump_clock: MockClock) -> None:
    page = Asking("ask")
    with pytest.raises(KaptureError, match="beforeunload") as caught:
        await closing(page, page.ask)
    assert caught.value.code is ErrorCode.DIALOG_OPEN
    assert "accepting closes the tab" in caught.value.hint


@pytest.mark.parametrize("ends", ["done", "fails", "cancelled"])
async def test_the_end_of_a_tab_is_expected_unless_closing_it_fails_or_is_cancelled(
    autojump_clock: MockClock, ends: str
) -> None:
    tab: Any = SimpleNamespace(closing=False)
    with trio.move_on_after(1), suppress(KaptureError), expecting_end(tab):
        assert tab.closing
        if ends == "fails":
            raise KaptureError(ErrorCode.EXECUTION_ERROR, "it stays open")
        if ends == "cancelled":
            await trio.sleep_forever()
    assert tab.closing is (ends == "done")
