"""Why a tab disconnected for good, in words for clients."""

from __future__ import annotations

from kapture.errors import ErrorCode, KaptureError, Wording

FOR_GOOD = frozenset({"disconnected", "canceled_by_user", "target_closed"})
"""Reasons of a `detached` after which the tab does not come back (docs/PROTOCOL.md)."""

_WHAT = {
    "disconnected": "The person disconnected tab {tab_id}",
    "canceled_by_user": "The person ended the debugging of tab {tab_id} with Cancel in the browser's bar",
    "target_closed": "Tab {tab_id} was closed",
    "let_go": "The person disconnected tab {tab_id} in the Console",
    "unreadable": "Tab {tab_id} was dropped, because its browser sent messages about it that cannot be processed,",
}
_WHAT_ELSE = "Tab {tab_id} disconnected"
_BY_PERSON = "Ask the person before going on; it is connected again with Connect in the Kapture panel or popup."
_LIST = "{list_tabs} shows the connected tabs."
_HINTS: dict[str, str | Wording] = {
    "disconnected": _BY_PERSON,
    "canceled_by_user": _BY_PERSON,
    "target_closed": Wording("A page may close its own tab in reply to an action.", _LIST),
    "unreadable": "The hub's log has the details. Its browser may be too old, or not based on Chromium.",
    "let_go": "Ask the person before going on; to connect it again, run the command that connected its browser again.",
}
_HINT = Wording("Ask the person to connect it again.", _LIST)


def left_error(tab_id: str, why: str, when: str) -> KaptureError:
    """`TAB_DISCONNECTED` for a tab that is gone. `when`: "5 s ago", "while this ran"."""
    return KaptureError(
        ErrorCode.TAB_DISCONNECTED,
        f"{_WHAT.get(why, _WHAT_ELSE).format(tab_id=tab_id)} {when}.",
        hint=_HINTS.get(why, _HINT),
        data={"tabId": tab_id, **({"reason": why} if why else {})},
    )
