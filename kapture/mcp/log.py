"""Log entries for a client: tabs that connect and disconnect, at the level that the client has set."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from kapture.hub import HubEvent

LogLevel: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""MCP's levels, least severe first."""

_ORDER: tuple[str, ...] = get_args(LogLevel)

_LEVELS: dict[str, LogLevel] = {
    "tab_connected": "info",
    "tab_changed": "debug",
    "tab_disconnected": "info",
    "tab_gone": "notice",
    "grant_changed": "notice",
}


class Log:
    """One client's log. Nothing below `level` is sent; by default warnings and worse are."""

    def __init__(self) -> None:
        self.level: LogLevel = "warning"

    def entry(self, event: HubEvent) -> tuple[LogLevel, dict[str, Any]] | None:
        """Level and data of this event's entry; None if the client does not want it. Never contains text of a page."""
        level = _LEVELS.get(event.kind)
        if level is None or _ORDER.index(level) < _ORDER.index(self.level):
            return None
        data: dict[str, Any] = {"event": event.kind}
        if event.tab_id:
            data["tabId"] = event.tab_id
        return level, data
