"""What the hub has to say to a client's log: tabs that come and go, at the level that the client set."""

from __future__ import annotations

from typing import Any, get_args

import mcp_types as types

from kapture.hub import HubEvent

_ORDER: tuple[str, ...] = get_args(types.LoggingLevel)  # by severity, the least first

_LEVELS: dict[str, types.LoggingLevel] = {
    "tab_connected": "info",
    "tab_changed": "debug",
    "tab_disconnected": "info",
    "tab_gone": "notice",
    "grant_changed": "notice",
}


class Log:
    """One client's log. Silent below `level`; a client that sets none gets warnings and worse."""

    def __init__(self) -> None:
        self.level: types.LoggingLevel = "warning"

    def entry(self, event: HubEvent) -> types.LoggingMessageNotification | None:
        """The entry for this event, if the client wants it. Tab ids and kinds only: never a page's words."""
        level = _LEVELS.get(event.kind)
        if level is None or _ORDER.index(level) < _ORDER.index(self.level):
            return None
        data: dict[str, Any] = {"event": event.kind}
        if event.tab_id:
            data["tabId"] = event.tab_id
        return types.LoggingMessageNotification(
            params=types.LoggingMessageNotificationParams(level=level, logger="kapture", data=data)
        )
