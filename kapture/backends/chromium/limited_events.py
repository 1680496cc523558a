"""Limits the events of a script's own session as those of the hub's are limited: judging one for the script costs more
than the hub's own reading does, and what waits to be read keeps the answers of all tabs of the browser waiting.
"""

from __future__ import annotations

from typing import Any

from kapture.backends.backend import DeliverEvent
from kapture.backends.console_flood import ConsoleEntry, ConsoleFlood
from kapture.backends.page_speed import PageSpeed


class LimitedEvents:
    """Passes events on to `deliver`, of a flood of console entries the newest. `speed` is that of the page, by the
    script's session; what floods is slowed down once it is set."""

    def __init__(self, deliver: DeliverEvent) -> None:
        self.speed: PageSpeed | None = None
        self._deliver = deliver
        self._flood = ConsoleFlood(self._pass, self._slow_down)

    async def run(self) -> None:
        """Pass on what is kept of a flood, until cancelled."""
        await self._flood.run()

    def deliver(self, method: str, params: dict[str, Any], session_id: str | None) -> None:
        """Take an event of the session."""
        if not self._flood.offer(method, params, session_id):
            self._flood.count_event(method, params, session_id)
            self._deliver(method, params, session_id)

    def _pass(self, entry: ConsoleEntry) -> None:
        self._deliver(entry.method, dict(entry.params), entry.session_id)

    def _slow_down(self, slow: bool, session_id: str | None) -> None:
        if self.speed is not None:
            self.speed.slow_down(slow, session_id)
