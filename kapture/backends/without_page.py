"""What runs on a tab on which the hub has no page: the browser closes it to extensions, or a script holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import trio

from kapture.backends.backend import BackendCall
from kapture.backends.extension_browser import ExtensionBrowser
from kapture.backends.tab_page import TabPage
from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.result import CallResult
from kapture.commands.core.run import as_json

if TYPE_CHECKING:
    from kapture.page import Page
    from kapture.page.document_follower import DocumentFollower

BROWSER_COMMANDS = frozenset({"tab_activate", "tab_close"})
"""Commands of tabs whose handlers ask the browser alone."""

_LEAVE_S = 5.0


async def run_in_browser(
    call: BackendCall, tab_id: str, browser: ExtensionBrowser, documents: DocumentFollower | None = None
) -> CallResult:
    """Run one of `BROWSER_COMMANDS`; with the documents of the tab also `tab_new`, which asks them where it is."""
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


async def leave_page(page: TabPage, browser: ExtensionBrowser) -> None:
    """Go to an empty page, which the debugger can be attached to: from there the tab can be taken to another one.

    Raises the reason why there is no page when there is none after that either.
    """
    await browser.tab_leave()
    with trio.move_on_after(_LEAVE_S):
        await page.attached.come_back()
