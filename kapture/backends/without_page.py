"""Commands on a tab for which the hub has no page: extensions may not debug the page, or a script holds the tab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import attrs

from kapture.commands.core.answer import Answer, CallResult
from kapture.commands.core.context import BrowserControl, TabContext
from kapture.commands.core.run import as_json

if TYPE_CHECKING:
    from kapture.page import Page
    from kapture.page.document_follower import DocumentFollower
    from kapture.page.documents.read_gate import ReadGate

BROWSER_COMMANDS = frozenset({"tab_activate", "tab_close", "tab_new"})
"""Commands of tabs whose handlers need only the browser, and what `NoPage` has."""


@attrs.frozen
class NoPage:
    """What is known of a tab without a page: the address that the browser shows for it, and what may be read."""

    url: str
    gate: ReadGate


async def run_in_browser(call: TabContext, browser: BrowserControl, documents: DocumentFollower | NoPage) -> CallResult:
    """Run one of `BROWSER_COMMANDS`; `documents` are for `tab_new`, which opens relative to the tab's URL."""
    call.page, call.browser = cast("Page", documents), browser
    answer: Answer = await call.command.handler(call, call.arguments.params)
    data: dict[str, Any] = as_json(answer)
    return CallResult(answer=answer, text=answer.text(), data=data)
