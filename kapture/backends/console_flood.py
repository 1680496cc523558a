"""Limits the events of a page to what the hub can read: a page that logs endlessly, or makes the browser report other
things endlessly, must not delay other tabs, whose messages the same task reads.

`extension/worker/tab/console_flood.js` does the same for tabs of the extension, with the same bounds: a burst of
console entries passes whole; beyond it only the newest entries of each interval pass, the first of them with the number
that was dropped before it. Other events are only counted, because none can be left out: frames that come and go,
navigations, requests, titles. The browser still sends all of it; so a page, frame or worker that goes on flooding is
slowed down until it stops, and for longer each time that it begins again. If it floods all the same it is slowed down
again: a debugging session that ends takes the throttling with it, also that of another session.
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
_NEWEST_CHARS = 1_000_000
_BURST_CHARS = 4_000_000
_PER_SECOND = 500
_CHARS_PER_SECOND = 1_000_000
OTHERS_BURST = 15_000
"""Events other than console entries that a page may cause at once: as many as a page of 2,500 requests."""
_OTHERS_PER_SECOND = 2_000
TITLE = 20
"""A tab's new title or address counts as so many events: it costs the browser itself, which all tabs share, more."""
SOCKET = 20
"""So does the end of a WebSocket: a page that opens them without end, most of which fail at once, costs the browser
more."""
_SOCKET_CLOSED = "Network.webSocketClosed"
_ORDINARY_CHARS = 10_000  # of an event; what is longer counts once more for every 1,000
_FLOOD = 1_000  # entries dropped in one interval, each counted once more for every 1,000 characters
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
        self._others: float = OTHERS_BURST
        self._waiting: deque[tuple[ConsoleEntry, int]] = deque()  # with their sizes
        self._waiting_chars = 0
        self._dropped = 0
        self._excess: float = 0
        self._flooding: set[str | None] = set()  # the sessions that are slowed down
        self._slowed: set[str | None] = set()  # those of them that were slowed down in this interval
        self._calm = 0
        self._needed_calm = _CALM
        self._ended_at = -math.inf
        self._added = Changed()

    def offer(self, method: str, params: Mapping[str, Any], session_id: str | None) -> bool:
        """Take an event; returns False if it is not a console entry. Entries are passed on, kept or dropped here."""
        if method not in METHODS:
            return False
        entry, size = ConsoleEntry(method, params, session_id), _size(params)
        if not self._waiting:
            self._refill()
            if self._entries >= 1 and self._chars >= 0:
                self._pass(entry, size)
                return True
            self._added.notify()
        self._waiting.append((entry, size))
        self._waiting_chars += size
        while len(self._waiting) > NEWEST or (self._waiting_chars > _NEWEST_CHARS and len(self._waiting) > 1):
            self._drop_oldest()
        if self._excess >= _FLOOD and session_id not in self._slowed:
            self._slow(session_id)
        return True

    def count_event(self, method: str, params: Mapping[str, Any], session_id: str | None) -> None:
        """Count an event that is no console entry, and is not dropped."""
        beyond = max(0, _size(params) - _ORDINARY_CHARS)
        self.count(session_id, (SOCKET if method == _SOCKET_CLOSED else 1) + beyond / 1_000)

    def count(self, session_id: str | None, weight: float = 1) -> None:
        """Count what costs as much as so many events."""
        self._others -= weight
        if self._others < 0:
            goes_on = self._others <= -_OTHERS_PER_SECOND and session_id not in self._slowed
            self._refill()
            if self._others < 0 and (goes_on or session_id not in self._flooding):
                self._slow(session_id)
                self._added.notify()

    def _drop_oldest(self) -> None:
        _, size = self._waiting.popleft()
        self._waiting_chars -= size
        self._dropped += 1
        self._excess += 1 + size / 1_000

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
        self._waiting_chars = self._dropped = 0
        self._excess = 0
        self._slowed.clear()
        self._refill()
        if self._flooding:
            self._judge(flooded=dropped > 0 or self._others < 0)
        for entry, size in newest:
            self._pass(attrs.evolve(entry, dropped=dropped), size)
            dropped = 0

    def _slow(self, session_id: str | None) -> None:
        if not self._flooding:
            again = trio.current_time() - self._ended_at < _AGAIN_S
            self._needed_calm = min(2 * self._needed_calm, _LONGEST_CALM) if again else _CALM
        self._flooding.add(session_id)
        self._slowed.add(session_id)
        self._slow_down(True, session_id)

    def _judge(self, *, flooded: bool) -> None:
        self._calm = 0 if flooded else self._calm + 1
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
        # What was beyond it before the page was slowed down is forgotten: that has been read by now.
        self._others = min(OTHERS_BURST, max(self._others, -_OTHERS_PER_SECOND) + passed * _OTHERS_PER_SECOND)

    def _pass(self, entry: ConsoleEntry, size: int) -> None:
        self._entries -= 1
        self._chars -= 100 + size
        self._take(entry)


def _size(params: Any) -> int:
    """The characters of all texts in an event."""
    size = 0
    inside = [params]
    while inside:
        match inside.pop():
            case str() as text:
                size += len(text)
            case dict() as members:
                inside.extend(members.values())
            case list() as items:
                inside.extend(items)
    return size
