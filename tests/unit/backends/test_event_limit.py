"""A page that logs without end, or changes without end, costs the hub no more than it can carry, and nothing is dropped
uncounted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock

from kapture.backends.event_limit import NEWEST, SLOW_RATE, Entry, EventLimit
from kapture.background import running_beside
from kapture.cdp import CdpError, PendingReply

LOG = "Runtime.consoleAPICalled"
AT_ONCE = 3_750


@attrs.define
class Limited:
    """A limit, what passed it, and what its browser was told."""

    passed: list[int] = attrs.field(factory=list)
    dropped: int = 0
    sent: list[tuple[str | None, str, Any]] = attrs.field(factory=list)
    limit: Any = None

    def take(self, entry: Entry, dropped: int) -> None:
        self.passed.append(entry[1].get("number", 0))
        self.dropped += dropped

    def submit(self, method: str, params: Any, session_id: str | None) -> PendingReply:
        self.sent.append((session_id, method, params.get("rate")))
        reply = PendingReply()
        if session_id == "worker":
            reply.fail(CdpError(method, "not supported"))
        return reply

    def log(self, *numbers: int, session: str | None = None) -> None:
        for number in numbers:
            assert self.limit.take(LOG, {"number": number}, session)

    @property
    def rates(self) -> list[Any]:
        return [rate for _, method, rate in self.sent if method == "Emulation.setCPUThrottlingRate"]


@asynccontextmanager
async def limited() -> AsyncIterator[Limited]:
    made = Limited()
    made.limit = EventLimit(made.take, made)  # type: ignore[arg-type]
    async with running_beside(made.limit.run):
        yield made


async def test_burst_passes_whole_and_beyond_it_the_newest_of_each_interval(autojump_clock: MockClock) -> None:
    async with limited() as it:
        it.log(*range(AT_ONCE + 1_000))
        assert it.passed == list(range(AT_ONCE))
        await trio.sleep(0.25)
        assert it.passed[AT_ONCE:] == list(range(AT_ONCE + 1_000 - NEWEST, AT_ONCE + 1_000))
        assert it.dropped == 1_000 - NEWEST


async def test_every_entry_passes_or_is_counted(autojump_clock: MockClock) -> None:
    async with limited() as it:
        for start in range(0, 60_000, 300):
            it.log(*range(start, start + 300))
            await trio.sleep(0.01)
        await trio.sleep(0.25)
        assert len(it.passed) + it.dropped == 60_000
        assert it.passed == sorted(it.passed)
        assert len(it.passed) < AT_ONCE + 1_000


async def test_long_entries_take_more_tokens(autojump_clock: MockClock) -> None:
    event = {"exceptionDetails": {"exception": {"description": "x" * 1_000_000}}}
    async with limited() as it:
        for _ in range(100):
            it.limit.take("Runtime.exceptionThrown", event, None)
        assert it.rates == [SLOW_RATE]
        await trio.sleep(0.25)
        assert len(it.passed) <= 8
        assert len(it.passed) + it.dropped == 100


async def test_flooding_page_is_slowed_down_until_it_stops(autojump_clock: MockClock) -> None:
    async with limited() as it:
        it.log(*range(AT_ONCE + 400))
        assert it.rates == []
        it.log(*range(200))
        assert it.rates == [SLOW_RATE]
        await trio.sleep(0.25)
        it.log(*range(10_000))
        assert it.rates == [SLOW_RATE, SLOW_RATE]  # a session that was renewed has no throttling
        await trio.sleep(10)
        assert it.rates == [SLOW_RATE, SLOW_RATE, 1]


async def test_flooding_worker_is_not_listened_to_meanwhile(autojump_clock: MockClock) -> None:
    async with limited() as it:
        it.log(*range(AT_ONCE + 600), session="worker")
        await trio.sleep(10)
        methods = [method for session, method, _ in it.sent if session == "worker" and not method.startswith("Emul")]
        assert methods == ["Runtime.disable", "Log.disable", "Runtime.enable", "Log.enable"]


@pytest.mark.parametrize(
    ("method", "params", "few", "many"),
    [
        ("Network.webSocketClosed", {}, 700, 1_000),
        ("Network.requestWillBeSent", {"request": {"url": f"data:,{'x' * 1_000_000}"}}, 10, 20),
        ("Network.requestWillBeSent", {"request": {"url": "https://a.example/"}}, 14_000, 20_000),
    ],
)
async def test_other_events_pass_and_slow_their_page_down(
    autojump_clock: MockClock, method: str, params: dict[str, Any], few: int, many: int
) -> None:
    async with limited() as it:
        assert not any(it.limit.take(method, params, None) for _ in range(few))
        assert it.rates == []
        assert not any(it.limit.take(method, params, None) for _ in range(many - few))
        assert it.rates == [SLOW_RATE]


async def test_rate_that_can_be_read_slows_nothing_down(autojump_clock: MockClock) -> None:
    async with limited() as it:
        for _ in range(600):
            for _ in range(190):
                it.limit.take("Network.dataReceived", {}, None)
            await trio.sleep(0.1)
        assert it.rates == []
