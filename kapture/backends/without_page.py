"""Commands on a tab for which the hub has no page: extensions may not debug the page, or a script holds the tab."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import attrs
import trio

from kapture.backends.backend import BackendCall
from kapture.backends.extension_browser import ExtensionBrowser
from kapture.backends.tab_page import TabPage
from kapture.commands.core.answer import Answer
from kapture.commands.core.context import BrowserControl, TabContext
from kapture.commands.core.registry import Command, Lane
from kapture.commands.core.result import CallResult
from kapture.commands.core.run import as_json
from kapture.errors import KaptureError

if TYPE_CHECKING:
    from kapture.page import Page
    from kapture.page.document_follower import DocumentFollower
    from kapture.page.documents.read_gate import ReadGate

BROWSER_COMMANDS = frozenset({"tab_activate", "tab_close", "tab_new"})
"""Commands of tabs whose handlers need only the browser, and what `NoPage` has."""

_LEAVE_S = 5.0
_RESUME_S = 5.0
_SHUT_OUT = frozenset({"forbidden", "foreign_frame"})  # reasons of `detached`, docs/PROTOCOL.md


@attrs.frozen
class NoPage:
    """What is known of a tab without a page: the address that the browser shows for it, and what may be read."""

    url: str
    gate: ReadGate


def reads_first_document(command: Command) -> bool:
    """Whether a command of a new tab is for the document that the tab was opened for, not the empty one before it."""
    return command.reads_page and command.lane is Lane.PAGE and command.name != "navigate"


async def run_in_browser(
    call: BackendCall, tab_id: str, browser: BrowserControl, documents: DocumentFollower | NoPage
) -> CallResult:
    """Run one of `BROWSER_COMMANDS`; `documents` are for `tab_new`, which opens relative to the tab's URL."""
    context = TabContext(
        tab_id=tab_id,
        page=cast("Page", documents),
        client=call.client,
        browser=browser,
        files=call.files,
        hub=call.hub,
        progress=call.progress,
        invoke_step=call.invoke_step,
        step_allowed=call.step_allowed,
    )
    answer: Answer = await call.command.handler(context, call.params)
    data: dict[str, Any] = as_json(answer)
    return CallResult(answer=answer, text=answer.text(), data=data)


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
