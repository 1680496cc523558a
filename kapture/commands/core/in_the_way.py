"""What the browser has put in the way of a page, in the answers of commands: a dialog of its own.

Looked for after each action, by each snapshot, and where an element could not be used; while one is open, by every
command. Input must be allowed, because a key is sent for it, which the page does not get.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import trio

from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Lane
from kapture.errors import DialogOpen, ErrorCode, KaptureError
from kapture.page import Page
from kapture.page.documents.read_gate import shown_address

PERMISSIONS = ("geolocation", "notifications", "camera", "microphone", "clipboard-read")
_ANSWERS_WITHIN_S = 0.2
_IN_DOUBT = frozenset(
    {ErrorCode.ELEMENT_NOT_ACTIONABLE, ErrorCode.ELEMENT_NOT_FOUND, ErrorCode.COMMAND_TIMEOUT, ErrorCode.VALUE_REFUSED}
)


async def browser_dialog(tab: TabContext, failure: ErrorCode | None = None) -> DialogOpen | None:
    """The browser's dialog over the page, if there is one now; None where that is not looked for. `failure`: with which
    the command has failed."""
    page, command = tab.page, tab.command
    if command.lane is Lane.PAGE and failure is None:
        looks = command.acts or command.name == "snapshot" or page.browser_dialog.open
    else:
        looks = command.name == "tab_info" or failure in _IN_DOUBT
    if not looks or page.dialogs.current is not None:
        return None
    if not command.acts and tab.allowed_step("press", {"key": "Shift"}) is None:
        return None
    if not await page.browser_dialog.look(after_action=command.acts and failure is None):
        return None
    return page.dialogs.printing() or page.browser_dialog.error(_unanswered(page))


async def undecided(page: Page) -> str:
    """A sentence about the permissions for which the browser asks the person; "" if there are none. A question that is
    open takes nothing from the page and is reported to nobody."""
    found: dict[str, Any] = {"states": {}}
    with suppress(KaptureError), trio.move_on_after(_ANSWERS_WITHIN_S):
        found = await page.frames.main.call("permissionStates", {"names": PERMISSIONS})
    names = [name for name, state in found["states"].items() if state == "prompt"]
    if not names:
        return ""
    return (
        f"Undecided permissions: {', '.join(names)}. If the page waits for one, the browser is asking the person, which"
        " cannot be seen: permissions sets it, then reload; or ask_person."
    )


def _unanswered(page: Page) -> str:
    """The address of the document's newest request without an answer; "" if there is none."""
    for request in page.network.newest_first():
        if request.type == "document" and request.url == page.url.partition("#")[0]:
            break
        if not request.is_answered and request.type not in ("websocket", "eventsource"):
            return shown_address(request.url, page.gate)
    return ""
