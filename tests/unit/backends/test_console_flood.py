"""A page that logs without end, or changes without end, costs the hub no more than it can carry, and nothing is dropped
uncounted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock

from kapture.backends.cdp_tab import CdpTab, TabFacts
from kapture.backends.console_flood import OTHERS_BURST, TITLE, ConsoleEntry, ConsoleFlood
from kapture.backends.page_speed import FLOODING_RATE
from kapture.background import running_beside
from kapture.cdp import PendingReply
from kapture.changed import Changed
from kapture.wire.extension_messages import Browser

LOG = "Runtime.consoleAPICalled"


@attrs.define
class Console:
    """A console, what was taken of it, and when its page was slowed down."""

    taken: list[ConsoleEntry] = attrs.field(factory=list)
    slowed: list[bool] = attrs.field(factory=list)
    sessions: list[str | None] = attrs.field(factory=list)
    changed: Changed = attrs.field(factory=Changed)
    flood: Any = None

    def slow_down(self, slow: bool, session_id: str | None) -> None:
        self.slowed.append(slow)
        self.sessions.append(session_id)
        self.changed.notify()

    def log(self, *numbers: int, text: str = "", session: str | None = None) -> None:
        for number in numbers:
            arguments = [{"type": "number", "value": number}, {"type": "string", "value": text}]
            assert self.flood.offer(LOG, {"args": arguments}, session)

    @property
    def numbers(self) -> list[int]:
        return [entry.params["args"][0]["value"] for entry in self.taken]

    @property
    def accounted(self) -> int:
        return len(self.taken) + sum(entry.dropped for entry in self.taken)


@asynccontextmanager
async def console() -> AsyncIterator[Console]:
    made = Console()
    made.flood = ConsoleFlood(made.taken.append, made.slow_down)
    async with running_beside(made.flood.run):
        yield made


async def test_a_burst_is_taken_whole_at_once_and_in_order(autojump_clock: MockClock) -> None:
    async with console() as it:
        it.log(*range(2_000))
        assert it.numbers == list(range(2_000))
        assert it.accounted == 2_000


async def test_of_a_flood_the_newest_of_each_interval_are_taken_with_the_number_dropped_before(
    autojump_clock: MockClock,
) -> None:
    async with console() as it:
        it.log(*range(5_000))
        assert len(it.taken) == 2_000
        await trio.sleep(0.25)
        assert it.numbers[2_000:] == list(range(4_950, 5_000))
        assert [entry.dropped for entry in it.taken[2_000:2_002]] == [2_950, 0]


async def test_every_entry_is_taken_or_counted_however_long_the_flood_lasts(autojump_clock: MockClock) -> None:
    async with console() as it:
        for start in range(0, 60_000, 300):
            it.log(*range(start, start + 300))
            await trio.sleep(0.01)
        await trio.sleep(0.25)
        assert it.accounted == 60_000
        assert it.numbers == sorted(it.numbers)
        assert len(it.taken) < 3_500


async def test_large_entries_count_by_their_size(autojump_clock: MockClock) -> None:
    async with console() as it:
        it.log(*range(500), text="x" * 20_000)
        assert len(it.taken) < 250


async def test_a_page_that_floods_is_slowed_down_at_once_and_let_go_when_it_has_been_calm(
    autojump_clock: MockClock,
) -> None:
    async with console() as it:
        it.log(*range(3_000))
        assert it.slowed == []
        it.log(*range(100))
        assert it.slowed == [True]
        for _ in range(20):
            it.log(*range(200))
            await trio.sleep(0.2)
        assert it.slowed == [True]
        await trio.sleep(2)
        assert it.slowed == [True, False]
        await trio.sleep(60)
        assert it.slowed == [True, False]


async def test_a_page_that_floods_although_it_was_slowed_down_is_slowed_down_again(autojump_clock: MockClock) -> None:
    async with console() as it:
        it.log(*range(10_000))
        assert it.slowed == [True]  # once an interval
        await trio.sleep(0.25)
        it.log(*range(10_000))
        assert it.slowed == [True, True]
        await trio.sleep(5)
        assert it.slowed == [True, True, False]


async def test_a_page_that_floods_again_is_slowed_down_for_longer(autojump_clock: MockClock) -> None:
    lasted = []
    async with console() as it:
        for _ in range(4):
            began = trio.current_time()
            it.log(*range(6_000))
            while it.slowed[-1]:
                await it.changed.wait()
            lasted.append(trio.current_time() - began)
    assert lasted[0] < lasted[1] < lasted[2] < lasted[3]


async def test_of_a_page_and_its_workers_those_that_flood_are_slowed_down(autojump_clock: MockClock) -> None:
    async with console() as it:
        it.log(*range(3_100), session="worker")
        assert (it.slowed, it.sessions) == ([True], ["worker"])
        it.log(*range(100))
        assert (it.slowed, it.sessions) == ([True, True], ["worker", None])
        while it.slowed != [True, True, False, False]:
            await it.changed.wait()
        assert {*it.sessions[2:]} == {"worker", None}


async def test_other_events_are_none_of_its_business(autojump_clock: MockClock) -> None:
    async with console() as it:
        assert not any(it.flood.offer("Network.dataReceived", {}, None) for _ in range(5_000))
        assert it.taken == []


async def test_exceptions_count_by_their_size_too(autojump_clock: MockClock) -> None:
    text = "x" * 1_000_000
    event = {"exceptionDetails": {"text": "Uncaught", "exception": {"description": text}}}
    async with console() as it:
        for _ in range(100):
            it.flood.offer("Runtime.exceptionThrown", event, None)
        assert it.slowed == [True]
        await trio.sleep(0.25)
        assert len(it.taken) < 8  # the burst, and one of the interval
        assert it.accounted == 100


async def test_what_floods_with_other_events_is_slowed_down_until_it_stops(autojump_clock: MockClock) -> None:
    async with console() as it:
        for _ in range(OTHERS_BURST):
            it.flood.count("frame")
        assert it.slowed == []
        for _ in range(1_000):
            it.flood.count("frame")
        assert (it.slowed, it.sessions) == ([True], ["frame"])
        await it.changed.wait()
        assert (it.slowed, it.sessions) == ([True, False], ["frame", "frame"])


async def test_what_goes_on_flooding_with_other_events_is_slowed_down_again(autojump_clock: MockClock) -> None:
    async with console() as it:
        for _ in range(OTHERS_BURST + 10_000):
            it.flood.count(None)
        assert it.slowed == [True]
        await trio.sleep(0.25)
        for _ in range(100):
            it.flood.count(None)
        assert it.slowed == [True]
        for _ in range(2_000):
            it.flood.count(None)
        assert it.slowed == [True, True]


async def test_other_events_at_a_rate_that_can_be_read_slow_nothing_down(autojump_clock: MockClock) -> None:
    async with console() as it:
        for _ in range(600):
            for _ in range(190):
                it.flood.count(None)
            await trio.sleep(0.1)
        assert it.slowed == []


@pytest.mark.parametrize(
    ("method", "params", "few", "many"),
    [
        ("Network.webSocketClosed", {}, 700, 1_000),
        ("Network.requestWillBeSent", {"request": {"url": f"data:,{'x' * 1_000_000}"}}, 10, 20),
        ("Network.requestWillBeSent", {"request": {"url": "https://a.example/"}}, 14_000, 20_000),
    ],
)
async def test_sockets_without_end_and_events_of_a_megabyte_slow_their_page_down(
    autojump_clock: MockClock, method: str, params: dict[str, Any], few: int, many: int
) -> None:
    async with console() as it:
        for _ in range(few):
            it.flood.count_event(method, params, None)
        assert it.slowed == []
        for _ in range(many - few):
            it.flood.count_event(method, params, None)
        assert it.slowed == [True]


async def test_a_title_that_changes_without_end_slows_its_page_down(autojump_clock: MockClock) -> None:
    sent: list[tuple[str, Any]] = []

    def submit(method: str, params: Any, session_id: str | None) -> PendingReply:
        sent.append((method, params))
        return PendingReply()

    anything: Any = SimpleNamespace(submit=submit)
    facts = TabFacts(tab_id="k3j2h4g5", opener=None, owner="", browser=Browser(name="", version="", instance=""))
    tab = CdpTab(facts, anything, anything, anything)
    for number in range(OTHERS_BURST // TITLE + 1):
        tab.moved("https://a.example/", f"title {number}")
    assert sent == [("Emulation.setCPUThrottlingRate", {"rate": FLOODING_RATE})]
