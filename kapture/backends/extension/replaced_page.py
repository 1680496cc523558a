"""Commands during which the browser puts another page into the tab, under another id, as it does for its PDF viewer.

The extension attaches to the new page at once. A navigation has led there; another command may have taken effect.
"""

from __future__ import annotations

import attrs
import trio

from kapture.backends.backend import Address
from kapture.backends.tab_page import TabPage
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import BrowserControl, TabContext
from kapture.commands.navigation import arrived
from kapture.errors import Detached, ErrorCode, KaptureError

REPLACED = "replaced"
"""The reason of `detached` on the wire, docs/PROTOCOL.md; also that of a tab that the browser has put to sleep."""

_COMES_BACK_S = 5.0
_NAVIGATING = frozenset({"navigate", "reload", "go_back", "go_forward"})


class ReplaceablePage:
    """Runs commands over one tab's page."""

    def __init__(self, page: TabPage) -> None:
        self._page = page
        self._running: set[trio.CancelScope] = set()
        self._error: KaptureError = Detached(ErrorCode.DETACHED, "")

    async def run(self, call: TabContext, browser: BrowserControl) -> CallResult:
        """Run a command. If the page is replaced meanwhile, a navigation answers where it has led; others fail with
        the reason."""
        navigates = call.command.name in _NAVIGATING
        was_at = self._url() if navigates else ""
        if (result := await self._run(call, browser)) is not None:
            return result
        await self._comes_back()
        if not navigates:
            raise self._may_be_done()
        return await self._where_it_led(call, browser, was_at)

    async def _where_it_led(self, call: TabContext, browser: BrowserControl, was_at: str) -> CallResult:
        name = call.command.name
        if name == "navigate" and self._url() == was_at:  # what was replaced is still the page that it was to leave
            if (result := await self._run(call, browser)) is not None:
                return result
            await self._comes_back()
        there = attrs.evolve(call, command=attrs.evolve(call.command, handler=arrived))
        while True:
            if name in ("go_back", "go_forward") and self._url() == was_at:
                raise self._may_be_done()
            if (result := await self._run(there, browser)) is not None:
                return result
            await self._comes_back()

    def replaced(self, error: KaptureError) -> None:
        """End what runs, because the page has been replaced. To be called before what it waits for fails."""
        self._error = error
        for scope in self._running:
            scope.cancel()

    def _url(self) -> str:
        return self._page.address(Address(url="", title="")).url

    async def _run(self, call: TabContext, browser: BrowserControl) -> CallResult | None:
        """The result; None if the page was replaced meanwhile."""
        with trio.CancelScope() as scope:
            self._running.add(scope)
            try:
                return await self._page.run(call, browser)
            finally:
                self._running.discard(scope)
        return None

    def _may_be_done(self) -> KaptureError:
        hint = "It may have taken effect. Look at the page again."
        return Detached(ErrorCode.DETACHED, self._error.message, hint=hint, data={"reason": REPLACED})

    async def _comes_back(self) -> None:
        """Wait for the new page; raises the reason if none comes."""
        with trio.move_on_after(_COMES_BACK_S):
            await self._page.attached.come_back()
        if self._page.attached.now is None:
            raise self._error
