"""Closing a tab: its end is expected, unless its page asks whether to leave it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Protocol

from kapture.background import running_beside
from kapture.errors import ErrorCode, KaptureError, Wording

if TYPE_CHECKING:
    from kapture.page import Page
    from kapture.page.dialogs import DialogPolicy


class Closing(Protocol):
    """A tab. `closing`: a command closes it, so that its end is no surprise."""

    closing: bool


@contextmanager
def expecting_end(tab: Closing) -> Iterator[None]:
    """Expect the tab's end in the block, and after it, unless it fails or is cancelled: then the tab may stay open."""
    tab.closing = True
    try:
        yield
    except BaseException:
        tab.closing = False
        raise


@asynccontextmanager
async def raising_question(page: Page | None) -> AsyncIterator[None]:
    """End the block with `DIALOG_OPEN` when the page asks whether to leave it and somebody has to answer; with
    `EXECUTION_ERROR` when the question was dismissed, as by the dialog policy, which keeps the tab open.

    A browser that closes a tab for an extension, or with `Page.close`, runs the page's beforeunload handlers.
    """
    dismissed_before = None if page is None else page.dialogs.dismissed

    async def look() -> None:
        while page is not None:
            upcoming = page.dialogs.changed.upcoming
            dialog, blocked, dismissed = page.dialogs.current, page.dialogs.blocked(), page.dialogs.dismissed
            if blocked is not None and dialog is not None and dialog.type == "beforeunload":
                blocked.advice = Wording("Answer it with {handle_dialog}: accepting closes the tab.")
                raise blocked
            if dismissed is not None and dismissed is not dismissed_before and dismissed.type == "beforeunload":
                raise _stays_open(page.dialogs.policy)
            await upcoming.wait()

    async with running_beside(look):
        yield


def _stays_open(policy: DialogPolicy) -> KaptureError:
    reason = ", as the dialog policy says" if policy == "dismiss" else ""
    return KaptureError(
        ErrorCode.EXECUTION_ERROR,
        f"The page asked whether to leave it, and the question was dismissed{reason}: the tab stays open.",
        hint=Wording("Set {dialog_policy} to ask, close the tab again, and accept the question with {handle_dialog}."),
    )
