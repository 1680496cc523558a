"""Answers of the Chrome DevTools Protocol."""

from __future__ import annotations

import json
from typing import Any

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class CdpResult(Answer):
    """The browser's result, unchanged."""

    result: dict[str, Any]

    def text(self) -> str:
        """JSON in one line."""
        return json.dumps(self.result, ensure_ascii=False)


@attrs.frozen(kw_only=True)
class CdpEvent:
    """One event. `number` grows by one with each event; `session` identifies the frame's process that sent it."""

    number: int
    method: str
    params: dict[str, Any]
    session: str | None = None


@attrs.frozen(kw_only=True)
class CdpEventsAnswer(Answer):
    """Events since the cursor, oldest first; the cursor to continue from; how many were dropped unread."""

    subscribed: list[str]
    events: list[CdpEvent] = attrs.field(factory=list)
    cursor: int = 0
    missed: int = 0

    def text(self) -> str:
        """One line per event."""
        lines = [f"{one.number} {one.method} {json.dumps(one.params, ensure_ascii=False)}" for one in self.events]
        if self.missed:
            lines.insert(0, f"({self.missed} earlier events are no longer kept)")
        lines.append(f"cursor {self.cursor}; subscribed to {', '.join(self.subscribed) or 'nothing'}")
        return "\n".join(lines)
