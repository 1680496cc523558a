"""Limits the console entries of a page to what the hub can read: a page that logs without end must not delay the other
tabs, whose messages the same task reads.

`extension/worker/tab/console_flood.js` does the same for tabs of the extension, with the same bounds: a burst passes
whole; beyond it only the newest entries of each interval pass, the first of them with the number that was dropped
before it. The browser still sends every entry; so a page, frame or worker that goes on flooding is slowed down until it
stops, and for longer each time that it begins again.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import trio

from kapture.changed import Changed

METHODS = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"})
"""Events that only the console log reads."""
BURST = 2_000
INTERVAL_S = 0.2
NEWEST = 50
_BURST_CHARS = 4_000_000
_PER_SECOND = 500
_CHARS_PER_SECOND = 1_000_000
_FLOOD = 1_000  # entries dropped in one interval
_CALM = 5  # consecutive intervals without a dropped entry that end a flood
_LONGEST_CALM = 64
_AGAIN_S = 10  # a flood that begins within this time after the last one counts as the same


@attrs.frozen
class ConsoleEntry:
    """A console event. `dropped`: how many were dropped before it."""

    method: str
    params: Mapping[str, Any]
    session_id: str | None
    dropped: int = 0


class ConsoleFlood:
    """The console of one tab. `take` is called with entries that pass, in order; `slow_down` with whether to slow down,
    and the session of what floods."""

    def __init__(self, take: Callable[[ConsoleEntry], None], slow_down: Callable[[bool, str | None], None]) -> None:
        self._take = take
        self._slow_down = slow_down
        self._entries: float = BURST  # that may pass now
        self._chars: float = _BURST_CHARS
        self._at = trio.current_time()
        self._waiting: deque[ConsoleEntry] = deque(maxlen=NEWEST)
        self._dropped = 0
        self._flooding: set[str | None] = set()  # the sessions that are slowed down
        self._calm = 0
        self._needed_calm = _CALM
        self._ended_at = -math.inf
        self._added = Changed()

    def offer(self, method: str, params: Mapping[str, Any], session_id: str | None) -> bool:
        """Take an event; returns False if it is not a console entry. Entries are passed on, kept or dropped here."""
        if method not in METHODS:
            return False
        entry = ConsoleEntry(method, params, session_id)
        if not self._waiting:
            self._refill()
            if self._entries >= 1 and self._chars >= 0:
                self._pass(entry)
                return True
            self._added.notify()
        if len(self._waiting) == NEWEST:
            self._dropped += 1
            if self._dropped >= _FLOOD and session_id not in self._flooding:
                self._slow(session_id)
        self._waiting.append(entry)
        return True

    async def run(self) -> None:
        """Pass on the kept entries at the end of each interval, until cancelled."""
        while True:
            while not (self._waiting or self._flooding):
                await self._added.wait()
            await trio.sleep(INTERVAL_S)
            self._end_interval()

    def _end_interval(self) -> None:
        newest, dropped = list(self._waiting), self._dropped
        self._waiting.clear()
        self._dropped = 0
        if self._flooding:
            self._judge(dropping=dropped > 0)
        self._refill()
        for entry in newest:
            self._pass(attrs.evolve(entry, dropped=dropped))
            dropped = 0

    def _slow(self, session_id: str | None) -> None:
        if not self._flooding:
            again = trio.current_time() - self._ended_at < _AGAIN_S
            self._needed_calm = min(2 * self._needed_calm, _LONGEST_CALM) if again else _CALM
        self._flooding.add(session_id)
        self._slow_down(True, session_id)

    def _judge(self, *, dropping: bool) -> None:
        self._calm = 0 if dropping else self._calm + 1
        if self._calm >= self._needed_calm:
            self._calm, self._ended_at = 0, trio.current_time()
            while self._flooding:
                self._slow_down(False, self._flooding.pop())

    def _refill(self) -> None:
        now = trio.current_time()
        passed = now - self._at
        self._at = now
        self._entries = min(BURST, self._entries + passed * _PER_SECOND)
        self._chars = min(_BURST_CHARS, self._chars + passed * _CHARS_PER_SECOND)

    def _pass(self, entry: ConsoleEntry) -> None:
        self._entries -= 1
        self._chars -= 100
        for argument in entry.params.get("args", ()):
            self._chars -= len(str(argument.get("value", argument.get("description", ""))))
        self._take(entry)
