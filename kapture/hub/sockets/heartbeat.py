"""The heartbeat of a tab's socket: a ping at regular intervals; a tab that misses too many is disconnected."""

from __future__ import annotations

from collections.abc import Callable

import trio


class Heartbeat:
    """The heartbeat of one socket. Any message from the tab counts as a sign of life, not only `pong`."""

    def __init__(self, interval_ms: float, missed_limit: int, ping: Callable[[], object]) -> None:
        self._interval_s = interval_ms / 1_000
        self._missed_limit = missed_limit
        self._ping = ping
        self._heard = True

    def heard(self) -> None:
        """Note that a message has come from the tab."""
        self._heard = True

    async def run(self) -> int:
        """Ping until the tab has missed too many heartbeats in a row. Returns how many it missed."""
        missed = -1  # no ping has been sent yet
        while True:
            self._heard = False
            await trio.sleep(self._interval_s)
            missed = 0 if self._heard else missed + 1
            if missed >= self._missed_limit:
                return missed
            self._ping()
