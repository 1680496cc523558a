"""Why a tab cannot be used now: a script holds it, or it has lost its connection."""

from __future__ import annotations

import datetime
import time

from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.call import Call


def busy_error(tab_id: str, script: Call) -> KaptureError:
    """`TAB_BUSY`: which script holds the tab, and since when."""
    held_by = held_by_row(script)
    return KaptureError(
        ErrorCode.TAB_BUSY,
        f"A script, {held_by['client']}, has held tab {tab_id} since {held_by['since']}.",
        hint=f"Wait until it has left, or have the person take it back: `kapture release {tab_id}`, or the panel.",
        data={"tabId": tab_id, "heldBy": held_by},
    )


def held_by_row(script: Call) -> dict[str, str]:
    """Which script holds a tab since when, for `list_tabs` and `status`."""
    since = datetime.datetime.fromtimestamp(script.turn_at or time.time(), datetime.UTC)
    return {"client": script.client.name, "since": since.isoformat(timespec="seconds").replace("+00:00", "Z")}


def disconnected_error(tab_id: str) -> KaptureError:
    """`TAB_DISCONNECTED`, of a tab that may come back."""
    return KaptureError(
        ErrorCode.TAB_DISCONNECTED,
        f"Tab {tab_id} lost its connection a moment ago.",
        hint=Wording("It may reconnect within seconds: try again.", "{list_tabs} shows whether it is back."),
        data={"tabId": tab_id},
    )
