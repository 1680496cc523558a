"""Before a command of an extension tab runs: the page that it needs, if the tab has none, or only an empty one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

import trio

from kapture.backends.extension.extension_browser import ExtensionBrowser
from kapture.backends.tab_page import TabPage
from kapture.commands.core.registry import Command, Lane
from kapture.errors import KaptureError

_LEAVE_S = 5.0
_RESUME_S = 5.0
_SHUT_OUT = frozenset({"forbidden", "foreign_frame"})  # reasons of `detached`, docs/PROTOCOL.md


def reads_first_document(command: Command) -> bool:
    """Whether a command of a new tab is for the document that the tab was opened for, not the empty one before it."""
    return command.reads_page and command.lane is Lane.PAGE and command.name != "navigate"


async def regain_page(
    command: Command, page: TabPage, browser: ExtensionBrowser, probe: Callable[[], Awaitable[None]]
) -> None:
    """Have the debugger attached again where the browser shuts extensions out of the page that a tab shows.

    `navigate` leaves the page; raises the reason if there is none after that either. For other commands the extension
    tries again: the frame that shut it out may be gone by now. The browser reports neither, only when it is asked.
    """
    if command.name == "navigate":
        if browser.can_leave:
            await probe()
            if page.attached.reason is not None:
                await _leave(page, browser)
        return
    reason = page.attached.reason
    if reason is not None and reason.data.get("reason") in _SHUT_OUT:
        with trio.move_on_after(_RESUME_S), suppress(KaptureError):  # then it is still shut out
            await browser.tab_resume()


async def _leave(page: TabPage, browser: ExtensionBrowser) -> None:
    """Go to an empty page, which the debugger can attach to: from there the tab can navigate to another page."""
    await browser.tab_leave()
    with trio.move_on_after(_LEAVE_S):
        await page.attached.come_back()
