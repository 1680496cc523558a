"""What backends have in common of a tab's page."""

from __future__ import annotations

from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import trio
import trio.testing

from kapture.backends.tab_page import TabPage
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from tests.support.cdp_transports import SilentTransport


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


async def test_why_a_session_ended_is_not_waited_for_once_the_tab_has_another_page(
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
