"""What the hub has to say to a client's log: tabs that come and go, at the level that the client set."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from kapture.hub import HubEvent

LogLevel: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""MCP's levels, the least severe first."""

_ORDER: tuple[str, ...] = get_args(LogLevel)

_LEVELS: dict[str, LogLevel] = {
    "tab_connected": "info",
    "tab_changed": "debug",
    "tab_disconnected": "info",
    "tab_gone": "notice",
    "grant_changed": "notice",
}


class Log:
    """One client's log. Silent below `level`; a client that sets none gets warnings and worse."""

    def __init__(self) -> None:
        self.level: LogLevel = "warning"

    def entry(self, event: HubEvent) -> tuple[LogLevel, dict[str, Any]] | None:
        """Level and data of this event's entry, if the client wants it. Tab ids and kinds: never a page's words."""
        level = _LEVELS.get(event.kind)
        if level is None or _ORDER.index(level) < _ORDER.index(self.level):
            return None
        data: dict[str, Any] = {"event": event.kind}
        if event.tab_id:
            data["tabId"] = event.tab_id
        return level, data
