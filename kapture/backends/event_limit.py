"""Limits the events of one tab to what the hub can read: a page that logs, or makes the browser report other things,
without end must not delay other tabs, whose messages the same task reads.

One token bucket for the tab. Each event takes tokens, a console entry more, a long one more still. While there are
none, only the newest console entries of each interval pass, and the others are counted. Other events always pass,
because none can be left out. What causes thousands of events in an interval meanwhile is slowed down until there are
tokens again: the page by CPU throttling, a worker by not listening to it.

`extension/worker/tab/event_limit.js` does the same for tabs of the extension.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import trio

from kapture.cdp import CdpCommand, CdpError, CdpTransport, PendingReply
from kapture.changed import Changed

CONSOLE_EVENTS = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"})
"""Events that only the console log reads."""
BURST = 15_000
"""Tokens of an idle page: as many as a page of 2,500 requests takes, or 3,750 console entries."""
PER_SECOND = 2_000
NEWEST = 50
INTERVAL_S = 0.2
SLOW_RATE = 50
"""The CPU throttling rate of a page that is slowed down."""
TITLE = 20
"""Tokens of a new title or address, and of the end of a WebSocket: these cost the browser itself more."""
_MOST_OWED = 5 * PER_SECOND
_FLOOD = 2_000
"""Tokens that what is slowed down took in one interval while there were none."""
_ENTRY = 4
_NEWEST_CHARS = 1_000_000
_SET_RATE = "Emulation.setCPUThrottlingRate"

Entry = tuple[str, Mapping[str, Any], str | None]
"""Method, parameters and session of an event."""


class EventLimit:
    """The limit of one tab, and its `CdpTransport`, which knows the CPU throttling that a client has set.

    `pass_on` gets the console entries that pass, in order, each with the number that was dropped before it.
    """

    def __init__(self, pass_on: Callable[[Entry, int], None], transport: CdpTransport | None = None) -> None:
        self.transport = transport
        self._pass_on = pass_on
        self._rate: Any = 1
        self._tokens: float = BURST
        self._at = trio.current_time()
        self._waiting: deque[tuple[Entry, int]] = deque()  # with their sizes
        self._waiting_chars = 0
        self._dropped = 0
        self._spent: Counter[str | None] = Counter()  # tokens that sessions took in this interval while there were none
        self._slowed: set[str | None] = set()
        self._slowed_now: set[str | None] = set()  # those of them that were slowed down in this interval
        self._began = Changed()

    def take(self, method: str, params: Mapping[str, Any], session_id: str | None) -> bool:
        """Count an event. Return whether it is a console entry: those are passed on, kept or dropped here."""
        size = _size(params)
        if method not in CONSOLE_EVENTS:
            self.count(
                session_id, (TITLE if method == "Network.webSocketClosed" else 1) + max(0, size - 10_000) / 1_000
            )
            return False
        self.count(session_id, _ENTRY + size / 500)
        entry = (method, params, session_id)
        if self._tokens >= 0 and not self._waiting:
            self._pass(entry)
            return True
        self._waiting.append((entry, size))
        self._waiting_chars += size
        while len(self._waiting) > NEWEST or (self._waiting_chars > _NEWEST_CHARS and len(self._waiting) > 1):
            self._waiting_chars -= self._waiting.popleft()[1]
            self._dropped += 1
        self._began.notify()
        return True

    def count(self, session_id: str | None, tokens: float) -> None:
        """Take tokens for what a page, frame or worker caused."""
        self._tokens -= tokens
        if self._tokens >= 0:
            return
        self._refill()
        if self._tokens < 0:
            self._spent[session_id] += int(tokens) or 1
            if self._spent[session_id] >= _FLOOD and session_id not in self._slowed_now:
                self._slowed.add(session_id)
                self._slowed_now.add(session_id)
                self._slow_down(True, session_id)
            self._began.notify()

    async def run(self) -> None:
        """Pass on the kept entries at the end of each interval, until cancelled."""
        while True:
            while not (self._waiting or self._slowed or self._spent):
                await self._began.wait()
            await trio.sleep(INTERVAL_S)
            self._end_interval()

    def _end_interval(self) -> None:
        self._spent.clear()
        self._slowed_now.clear()
        self._refill()
        if self._tokens >= 0:
            while self._slowed:
                self._slow_down(False, self._slowed.pop())
        newest = [entry for entry, _ in self._waiting]
        self._waiting.clear()
        self._waiting_chars = 0
        for entry in newest:
            self._pass(entry)

    def _pass(self, entry: Entry) -> None:
        dropped, self._dropped = self._dropped, 0
        self._pass_on(entry, dropped)

    def _refill(self) -> None:
        now = trio.current_time()
        # A session that ends takes its throttling with it: so what is owed has a limit, and a flood shows again.
        self._tokens = min(BURST, max(self._tokens, -_MOST_OWED) + (now - self._at) * PER_SECOND)
        self._at = now

    def _slow_down(self, slow: bool, session_id: str | None) -> None:
        if (transport := self.transport) is None:
            return

        def on_reply(reply: PendingReply) -> None:
            if session_id is not None and isinstance(reply.error, CdpError):  # a worker, which has no throttling
                for domain in ("Runtime", "Log"):
                    transport.submit(f"{domain}.{'disable' if slow else 'enable'}", {}, session_id)

        transport.submit(_SET_RATE, {"rate": SLOW_RATE if slow else self._rate}, session_id).then(on_reply)

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send one command."""
        assert self.transport is not None  # noqa: S101  set before commands are sent
        self._note(method, params)
        return self.transport.submit(method, params, session_id)

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Send a program."""
        assert self.transport is not None  # noqa: S101
        for command in commands:
            self._note(command.method, command.params)
        self.transport.submit_all(commands)

    def _note(self, method: str, params: Mapping[str, Any]) -> None:
        if method == _SET_RATE:
            self._rate = params.get("rate", 1)


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
