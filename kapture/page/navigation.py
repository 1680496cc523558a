"""A navigation that a command starts, followed on a live page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

from kapture.cdp import PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.page.navigation_watcher import NavigationWatcher, WaitUntil, WrittenFrames
from kapture.page.page import Page
from kapture.page.script_terminator import terminate_busy_script

_ANSWERS_WITHIN_S = 2.0
"""A page that does not answer for longer than this is kept busy by a script that may never end."""


class Navigation:
    """`seen` is what the watcher has seen of it; a dialog or a crash blocks it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.seen = NavigationWatcher(page.frames.main.id, page.frames.main.ask)
        self.written = WrittenFrames(self.seen.changed.notify)

    @property
    def blocked(self) -> bool:
        """Whether a dialog or a crash prevents it from going on."""
        return self.seen.crashed or self.page.dialogs.blocked("navigate") is not None

    def has_ended(self, until: WaitUntil) -> bool:
        """Whether it has come to this milestone, or comes no further."""
        seen = self.seen
        return seen.reached(until) or self.blocked or seen.ended_without_document or seen.is_endless

    @property
    def held_open(self) -> bool:
        """Whether the document has loaded all it wants, and lacks its load event because a script writes a frame."""
        return self.written.one_is_idle and self.seen.reached("networkidle") and not self.seen.reached("load")

    async def answered(self, reply: PendingReply) -> dict[str, Any] | None:
        """Wait for the reply to the command that starts the navigation.

        None if a dialog opened or the page crashed instead. Errors of the command are raised.
        """
        reply.then(lambda _: self.seen.changed.notify())
        await self.seen.until(lambda: reply.done or self.blocked)
        return reply.value() if reply.done else None

    async def free_page(self) -> None:
        """Before the navigation: terminate a script that keeps the page busy. The browser would not leave the page, and
        passes nothing on to it any more once it is to be left."""
        if self.page.frames.main.crashed or self.page.awaited.url is not None:
            return  # nothing would answer, and no script keeps it from being left
        alive = self.page.frames.main.ask()
        alive.then(lambda _: self.seen.changed.notify())
        with trio.move_on_after(_ANSWERS_WITHIN_S):
            await self.seen.until(lambda: alive.done or self.blocked)
        if not (alive.done or self.blocked):
            await terminate_busy_script(self.page.connection.root.submit, alive)

    def give_up(self) -> None:
        """Stop a navigation that has not committed: it must not replace the current document later, when nobody expects
        it any more. Loading of the document's own resources continues."""
        if self.seen.is_underway or not self.seen.documents:
            self.page.connection.root.submit("Page.stopLoading")

    def check(self) -> None:
        """Raise an error if a dialog or a crash blocks the navigation."""
        if self.seen.crashed:
            raise KaptureError(
                ErrorCode.NAVIGATION_FAILED, "The page crashed.", hint="Navigate or reload to bring the tab back."
            )
        if blocked := self.page.dialogs.blocked("navigate"):
            raise blocked


@asynccontextmanager
async def following(page: Page) -> AsyncIterator[Navigation]:
    """Follow the main frame during the block."""
    navigation = Navigation(page)
    wake = navigation.seen.changed.notify
    dialogs = {name: lambda _: wake() for name in ("Page.javascriptDialogOpening", "Page.javascriptDialogClosed")}
    root = page.connection.root
    with root.listening({**navigation.seen.handlers, **dialogs}), root.listening(navigation.written.handlers):
        yield navigation
