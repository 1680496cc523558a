"""Servers and networks that fail, and messages that are lost, repeated, late or not of the group: each call has one
end, runs at most once, and nothing on the machine itself notices."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from kapture.errors import CommandTimeout, ErrorCode, TabDisconnected, TabNotFound
from kapture.group.engine import LEASE_S
from kapture.group.key import GroupKey
from kapture.group.messages import Left
from tests.support.memory_engine import MemoryServer
from tests.unit.group.machines import Machine, Network, machine, refusals, two
from tests.unit.hub.simulated import SimulatedTab, fails


async def test_local_tabs_go_on_while_the_server_is_away(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (network, laptop, devhost):
        tab, own = await laptop.tab("tab1"), await devhost.tab("own")
        laptop.world.nursery.start_soon(tab.answer_all)
        devhost.world.nursery.start_soon(own.answer_all)
        network.server.go(forget=True)
        await trio.sleep(60)
        assert await devhost.call("t_echo", "own") == "ok"
        error = await fails(ErrorCode.TAB_DISCONNECTED, devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1"}))
        assert "Connection refused" in error.message
        assert [row["tabId"] for row in (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]] == [
            "own"
        ]
        network.server.come_back()
        await trio.sleep(2)
        assert await devhost.call("t_echo", "tab1", word="back") == "back"


async def test_a_call_outlasts_a_server_that_stops_for_ten_seconds(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (network, laptop, devhost):
        tab = await laptop.tab("tab1")
        running = devhost.world.start(devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1"}))
        command = await tab.receive("command")
        network.server.stop()
        await tab.answer(command, "in spite of it")
        later = devhost.world.start(devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1"}))
        await trio.sleep(10)
        network.server.go_on()
        assert (await running.wait()).text == "in spite of it"
        await tab.answer(await tab.receive("command"), "later")
        assert (await later.wait()).text == "later"


@pytest.mark.parametrize("cut", ["laptop", "devhost"])
async def test_calls_of_a_lost_machine_fail_and_are_cancelled(
    tmp_path: Path, autojump_clock: MockClock, cut: str
) -> None:
    async with two(tmp_path) as (network, laptop, devhost):
        tab = await laptop.tab("tab1")
        running = devhost.world.start(devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1", "timeout": 600_000}))
        await tab.receive("command")
        network.cut.add(cut)
        began = trio.current_time()
        assert await running.wait() == ErrorCode.TAB_DISCONNECTED
        await tab.receive("cancel")
        assert trio.current_time() - began < LEASE_S + 10
        network.cut.clear()
        await trio.sleep(LEASE_S + 2)
        laptop.world.nursery.start_soon(tab.answer_all)
        assert await devhost.call("t_echo", "tab1", word="back") == "back"


async def test_machine_that_leaves_takes_its_tabs_along_at_once(tmp_path: Path, autojump_clock: MockClock) -> None:
    network = Network(MemoryServer())
    async with machine(network.of("devhost"), tmp_path, "devhost", clock=network.server.clock) as devhost:
        async with machine(network.of("laptop"), tmp_path, "laptop", clock=network.server.clock) as laptop:
            tab = await laptop.tab("tab1")
            running = devhost.world.start(devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1"}))
            await tab.receive("command")
        assert not (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]
        began = trio.current_time()
        assert await running.wait() == ErrorCode.TAB_DISCONNECTED
        assert trio.current_time() - began < 6


async def test_member_with_another_key_sees_and_does_nothing_and_is_audited(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    wrong = GroupKey("team", bytes(32))
    async with two(tmp_path) as (network, laptop, _):
        connect = network.of("rogue")
        async with machine(connect, tmp_path, "rogue", key=wrong, clock=network.server.clock) as rogue:
            await trio.sleep(1)
            tab, own = await laptop.tab("tab1"), await rogue.tab("theirs")
            laptop.world.nursery.start_soon(tab.answer_all)
            rogue.world.nursery.start_soon(own.answer_all)
            await fails(ErrorCode.TAB_NOT_FOUND, rogue.hub.call(rogue.agent, "t_echo", {"tabId": "tab1"}))
            await fails(ErrorCode.TAB_NOT_FOUND, laptop.hub.call(laptop.agent, "t_echo", {"tabId": "theirs"}))
            rows = (await laptop.hub.call(laptop.agent, "list_tabs", {})).data["tabs"]
            assert {row["tabId"] for row in rows} == {"tab1"}
            rogue.member.post(laptop.member.run, Left("client-1"))
            await trio.sleep(1)
    reasons = refusals(tmp_path)
    assert any(reason.startswith("hub") and "key" in reason for reason in reasons)
    assert any(reason.startswith("message") and "key" in reason for reason in reasons)


async def test_id_that_another_machine_has_is_not_offered_and_is_audited(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with two(tmp_path) as (network, laptop, devhost):
        connect = network.of("first")
        async with machine(connect, tmp_path, "first", clock=network.server.clock) as first:
            tab = await first.tab("tab1")
            first.world.nursery.start_soon(tab.answer_all)
            await laptop.tab("tab1")
            assert laptop.hub.status()["group"]["taken"] == ["tab1"]
            assert await devhost.call("t_echo", "tab1", word="the first one's") == "the first one's"
    assert any(reason.startswith("tab") for reason in refusals(tmp_path))


async def test_machine_whose_clock_differs_is_refused_and_audited(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (network, laptop, _):
        connect, ahead = network.of("ahead"), lambda: network.server.clock() + 60
        async with machine(connect, tmp_path, "ahead", clock=ahead) as other:
            await trio.sleep(1)
            tab = await laptop.tab("tab1")
            laptop.world.nursery.start_soon(tab.answer_all)
            assert other.hub.status()["group"]["clockDiffersS"] == 60
            await fails(ErrorCode.TAB_NOT_FOUND, other.hub.call(other.agent, "t_echo", {"tabId": "tab1"}))
            other.member.post(laptop.member.run, Left("client-1"))
            await trio.sleep(1)
    assert any("clock" in reason for reason in refusals(tmp_path))


async def test_call_sent_again_after_a_lost_connection_runs_once(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (network, laptop, devhost):
        tab, ran = await laptop.tab("tab1"), Counter[str]()
        laptop.world.nursery.start_soon(count, tab, ran)

        def lose(run: str, raw: bytes) -> Sequence[tuple[str, bytes]]:
            network.server.tamper = lambda run, raw: [(run, raw)]
            network.server.go()
            return [(run, raw)]

        network.server.tamper = lose
        running = devhost.world.start(devhost.hub.call(devhost.agent, "t_echo", {"tabId": "tab1", "word": "once"}))
        await trio.sleep(3)
        network.server.come_back()
        assert (await running.wait()).text == "once"
        await trio.sleep(3)
        assert ran == {"once": 1}
        assert not laptop.member.refusals, "a machine's own repetition is no attack"


# --- a hostile or failing server ----------------------------------------------------------------------------------


def repeating(run: str, raw: bytes) -> Sequence[tuple[str, bytes]]:
    return [(run, raw)] * 3


class Reordering:
    """Holds each second message back until the next one has passed."""

    def __init__(self) -> None:
        self.held: list[tuple[str, bytes]] = []

    def __call__(self, run: str, raw: bytes) -> Sequence[tuple[str, bytes]]:
        if not self.held:
            self.held = [(run, raw)]
            return []
        held, self.held = self.held, []
        return [(run, raw), *held]


def astray(run: str, raw: bytes) -> Sequence[tuple[str, bytes]]:
    """Each message also for those it is not for: its own sender, whoever that is."""
    return [(run, raw), *((other, raw) for other in RUNS)]


RUNS: list[str] = []


def forged(run: str, raw: bytes) -> Sequence[tuple[str, bytes]]:
    return [(run, raw[:40] + b"\0" + raw[41:]), (run, raw)]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: repeating, "come before"),
        (Reordering, "come before"),
        (lambda: astray, "another hub"),
        (lambda: forged, "not signed"),
    ],
)
async def test_each_call_runs_at_most_once_and_has_one_end_on_a_server_that_cheats(
    tmp_path: Path, autojump_clock: MockClock, make: Callable[[], Callable[[str, bytes], object]], why: str
) -> None:
    async with two(tmp_path) as (network, laptop, devhost):
        tab, ran = await laptop.tab("tab1"), Counter[str]()
        laptop.world.nursery.start_soon(count, tab, ran)
        RUNS[:] = [laptop.member.run, devhost.member.run]
        network.server.tamper = make()  # type: ignore[assignment]
        await all_end(devhost, ran, calls=40)
    assert any(why in reason for reason in refusals(tmp_path)), refusals(tmp_path)


async def count(tab: SimulatedTab, ran: Counter[str]) -> None:
    while (message := await tab.receive("command", "closed"))["type"] == "command":
        ran[message["params"]["word"]] += 1
        await tab.answer(message, message["params"]["word"])


async def all_end(devhost: Machine, ran: Counter[str], *, calls: int, pause: Callable[[], float] = lambda: 0.1) -> int:
    """Make calls, one after the other begins: each ends, with its own answer or an error, and ran at most once. Returns
    how many were answered."""
    answered, not_run = 0, list[str]()

    async def one(word: str) -> None:
        nonlocal answered
        try:
            assert await devhost.call("t_echo", "tab1", word=word) == word
            assert ran[word] == 1
            answered += 1
        except (TabDisconnected, CommandTimeout):
            pass  # it may have taken effect
        except TabNotFound:
            not_run.append(word)

    with trio.fail_after(600):
        async with trio.open_nursery() as nursery:
            for number in range(calls):
                nursery.start_soon(one, f"word{number}")
                await trio.sleep(pause())
    assert max(ran.values(), default=0) <= 1
    assert not any(ran[word] for word in not_run)
    return answered


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_no_call_runs_twice_and_each_ends_whatever_fails(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Messages dropped, repeated, delayed; the server away, stopped, emptied; machines cut off, all at random."""
    home, chance = tmp_path_factory.mktemp("group"), random.Random(seed)

    async def run() -> None:
        async with two(home) as (network, laptop, devhost):
            tab, ran = await laptop.tab("tab1"), Counter[str]()
            laptop.world.nursery.start_soon(count, tab, ran)
            delayed: list[tuple[str, bytes]] = []

            def tamper(run: str, raw: bytes) -> Sequence[tuple[str, bytes]]:
                kind = chance.random()
                if kind < 0.05:
                    return []
                if kind < 0.1:
                    delayed.append((run, raw))
                    return []
                again = [delayed.pop()] if delayed and kind < 0.5 else []
                return [(run, raw), *([(run, raw)] if kind > 0.9 else []), *again]

            async def faults() -> None:
                while True:
                    await trio.sleep(chance.expovariate(0.3))
                    match chance.choice(["away", "empty", "stop", "cut"]):
                        case "away" | "empty" as kind:
                            network.server.go(forget=kind == "empty")
                        case "stop":
                            network.server.stop()
                        case "cut":
                            network.cut.add(chance.choice(["laptop", "devhost"]))
                    await trio.sleep(chance.choice([0.5, 3, 10, 20]))
                    network.cut.clear()
                    network.server.go_on()
                    network.server.come_back()

            network.server.tamper = tamper
            async with trio.open_nursery() as nursery:
                nursery.start_soon(faults)
                await all_end(devhost, ran, calls=100, pause=lambda: chance.expovariate(2))
                nursery.cancel_scope.cancel()
            network.server.tamper = lambda run, raw: [(run, raw)]
            network.cut.clear()
            network.server.go_on()
            network.server.come_back()
            await trio.sleep(LEASE_S + 20)
            assert await devhost.call("t_echo", "tab1", word="at last") == "at last"

    trio.run(run, clock=MockClock(autojump_threshold=0))
