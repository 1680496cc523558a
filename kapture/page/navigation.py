"""A navigation that a command starts, followed on a live page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from kapture.cdp import PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.page.navigation_watcher import NavigationWatcher
from kapture.page.page import Page


class Navigation:
    """`seen` is what the watcher has seen of it; dialogs, and a crash, keep it from going on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.seen = NavigationWatcher(page.frames.main.id)

    @property
    def blocked(self) -> bool:
        """Whether something keeps it from going on."""
        dialogs = self.page.dialogs
        return self.seen.crashed or (dialogs.current is not None and dialogs.policy == "ask")

    async def answered(self, reply: PendingReply) -> dict[str, Any] | None:
        """The browser's answer to the command that starts the navigation.

        None when a dialog opened or the page crashed instead. Failures of the command are raised.
        """
        reply.then(lambda _: self.seen.changed.notify())
        await self.seen.until(lambda: reply.done or self.blocked)
        return reply.value() if reply.done else None

    def give_up(self) -> None:
        """Stop what is still on its way to a document: the one that is there must not be taken away later, when
        nobody expects it any more. What only loads more of its parts goes on."""
        if self.seen.is_underway or not self.seen.documents:
            self.page.connection.root.submit("Page.stopLoading")

    def check(self) -> None:
        """Raise what keeps it from going on, if anything does."""
        if self.seen.crashed:
            raise KaptureError(
                ErrorCode.NAVIGATION_FAILED, "The page crashed.", hint="Navigate or reload to bring the tab back."
            )
        if blocked := self.page.dialogs.blocked():
            raise blocked


@asynccontextmanager
async def following(page: Page) -> AsyncIterator[Navigation]:
    """Follow the main frame from now to the end of the block."""
    navigation = Navigation(page)
    wake = navigation.seen.changed.notify
    dialogs = {name: lambda _: wake() for name in ("Page.javascriptDialogOpening", "Page.javascriptDialogClosed")}
    with page.connection.root.listening({**navigation.seen.handlers, **dialogs}):
        yield navigation
