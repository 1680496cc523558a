"""The router: queue, lanes, timeouts, cancellation, late answers, events."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from trio.testing import MockClock, wait_all_tasks_blocked

import kapture.commands  # noqa: F401  declares every command
from kapture.backends.backend import Address
from kapture.errors import DialogOpen, ErrorCode, KaptureError
from kapture.hub import Client
from kapture.hub.shares import OpenShare
from kapture.hub.tabs.listener import HubListener
from kapture.hub.tabs.tab import FairQueue, Identity, Tab
from kapture.hub.tabs.tab_life import TABLE, Action, Event, State
from kapture.policy.policy import ShareCaps
from kapture.policy.policy_file import Section
from kapture.settings import Limits
from tests.support.calls import call_of
from tests.support.examples import examples
from tests.unit.hub.simulated import fails, world


async def _call(there: Any, client: Client, word: str, tab_id: str = "tab1") -> str:
    result = await there.hub.call(client, "t_echo", {"tabId": tab_id, "word": word})
    return str(result.text)


async def test_commands_run_one_at_a_time_in_order(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        calls = []
        for number in range(5):
            calls.append(there.start(there.call("t_echo", word=str(number))))
            await wait_all_tasks_blocked()
        for number, call in enumerate(calls):
            asked = await tab.receive("command")
            assert asked["params"]["word"] == str(number)
            with trio.move_on_after(1) as quiet:
                await tab.receive("command")
            assert quiet.cancelled_caught, "a second command was sent while the first ran"
            await tab.answer(asked, f"answer {number}")
            assert await call.wait() == f"answer {number}"


async def test_the_65th_command_finds_the_queue_full(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        calls = [there.start(there.call("t_echo", word=str(number))) for number in range(64)]
        await wait_all_tasks_blocked()
        error = await fails(ErrorCode.QUEUE_FULL, there.call("t_echo"))
        assert "64" in error.message
        there.nursery.start_soon(tab.answer_all)
        assert {await call.wait() for call in calls} == {str(number) for number in range(64)}
        assert await there.call("t_echo", word="again") == "again"


@pytest.mark.parametrize("command", ["t_echo", "t_peek"])
async def test_a_client_that_fills_a_tab_keeps_no_other_client_out(
    command: str, tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        for number in range(64):
            there.start(there.call(command, word=str(number)))
        await wait_all_tasks_blocked()
        with there.hub.client(name="other", kind="cli") as other:

            async def ask(word: str) -> str:
                return str((await there.hub.call(other, command, {"tabId": "tab1", "word": word})).text)

            first = there.start(ask("other's"))
            await wait_all_tasks_blocked()
            await fails(ErrorCode.QUEUE_FULL, ask("second"))
            await fails(ErrorCode.QUEUE_FULL, there.call(command))
            there.nursery.start_soon(tab.answer_all)
            assert await first.wait() == "other's"


async def test_a_timeout_runs_from_the_start_and_the_queue_continues(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        first = there.start(there.call("t_echo", word="1", timeout=8_000))
        await wait_all_tasks_blocked()
        second = there.start(there.call("t_echo", word="2", timeout=5_000))
        asked = await tab.receive("command")
        assert asked["timeoutMs"] == 8_000
        began = trio.current_time()
        assert await first.wait() is ErrorCode.COMMAND_TIMEOUT
        assert trio.current_time() - began == pytest.approx(8, abs=0.1)
        cancel = await tab.receive("cancel", "command")
        assert cancel == {"type": "cancel", "id": asked["id"]}
        next_asked = await tab.receive("command")
        await trio.sleep(4)  # it had waited 8 s, and still has its own 5 s
        await tab.answer(next_asked, "in time")
        assert await second.wait() == "in time"


async def test_a_late_answer_is_dropped_and_counted_and_never_given_to_another(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        first = there.start(there.call("t_echo", timeout=1_000))
        asked = await tab.receive("command")
        assert await first.wait() is ErrorCode.COMMAND_TIMEOUT
        second = there.start(there.call("t_echo", timeout=9_000))
        asked_again = await tab.receive("command")
        await tab.answer(asked, "late")
        await tab.answer(asked, "late, twice")
        await wait_all_tasks_blocked()
        assert not second.done.is_set()
        await tab.answer(asked_again, "mine")
        assert await second.wait() == "mine"
        assert there.hub.status()["counters"]["lateAnswers"] == 2


async def test_an_answer_to_no_question_is_counted_and_harmless(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        call = there.start(there.call("t_echo"))
        asked = await tab.receive("command")
        await tab.send(type="response", id="c999", success=True, result="stray")
        await tab.answer(asked, "mine")
        assert await call.wait() == "mine"
        assert there.hub.status()["counters"]["unsolicitedAnswers"] == 1


async def test_a_cancelled_call_that_waits_leaves_the_queue(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        first = there.start(there.call("t_echo", word="1"))
        await wait_all_tasks_blocked()
        second = there.start(there.call("t_echo", word="2"))
        await wait_all_tasks_blocked()
        third = there.start(there.call("t_echo", word="3"))
        await wait_all_tasks_blocked()
        second.scope.cancel()
        await second.done.wait()
        there.nursery.start_soon(tab.answer_all)
        assert (await first.wait(), await third.wait()) == ("1", "3")


async def test_a_cancelled_call_that_runs_is_cancelled_on_the_tab_and_the_queue_continues(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        first = there.start(there.call("t_echo", word="1"))
        asked = await tab.receive("command")
        second = there.start(there.call("t_echo", word="2"))
        await wait_all_tasks_blocked()
        first.scope.cancel()
        assert await tab.receive("cancel") == {"type": "cancel", "id": asked["id"]}
        await tab.answer(await tab.receive("command"), "2")
        assert await second.wait() == "2"


async def test_control_commands_run_beside_what_runs(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        held = there.start(there.call("t_echo"))
        asked = await tab.receive("command")
        peek = there.start(there.call("t_peek"))
        beside = await tab.receive("command")
        assert beside["command"] == "kapturemcp_t_peek"
        await tab.answer(beside, "seen")
        assert await peek.wait() == "seen"
        await tab.answer(asked, "done")
        assert await held.wait() == "done"


async def test_no_tab_delays_another(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab("slow")
        quick = await there.tab("quick")
        there.nursery.start_soon(quick.answer_all)
        held = [there.start(there.call("t_echo", "slow")) for _ in range(64)]
        await wait_all_tasks_blocked()
        began = trio.current_time()
        for _ in range(20):
            await there.call("t_echo", "quick")
        assert trio.current_time() == began
        assert not any(call.done.is_set() for call in held)


async def test_two_clients_take_turns_on_one_tab(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        with there.hub.client(name="other", kind="cli") as other:
            for number in range(4):
                there.start(_call(there, there.client, f"a{number}"))
                await wait_all_tasks_blocked()
            for number in range(2):
                there.start(_call(there, other, f"b{number}"))
                await wait_all_tasks_blocked()
            order = []
            for _ in range(6):
                asked = await tab.receive("command")
                order.append(asked["params"]["word"])
                await tab.answer(asked)
        assert order == ["a0", "a1", "b0", "a2", "b1", "a3"]


async def test_the_hub_is_idle_when_the_last_tab_and_client_have_gone(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        idle = there.start(there.hub.wait_until_idle(60_000))
        tab = await there.tab()
        there.nursery.start_soon(tab.answer_all)
        there.leave.close()
        await trio.sleep(100)
        assert not idle.done.is_set(), "a tab was there"
        caps = ShareCaps(section=Section())
        with there.hub.state.shares.opened(OpenShare(name="devhost", caps=caps, end=lambda: None)):
            await tab.close()
            await trio.sleep(100)
            assert not idle.done.is_set(), "a share was open"
        tab = await there.tab()
        await tab.close()
        began = trio.current_time()
        await idle.wait()
        assert trio.current_time() - began == pytest.approx(65, abs=1), "it might have come back for 5 s"


# What a dialog ends: commands that wait at once, the running one after a grace period, and no script.


GRACE_MS = 2_000
DIALOG = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")


@attrs.define(eq=False)
class Blocked:
    """The parts of a backend that `HubListener` and `Tab` use."""

    blocked: KaptureError | None = None
    closing: bool = False


@attrs.define(eq=False)
class Scene:
    nursery: trio.Nursery
    tab: Tab
    backend: Blocked
    ended: dict[str, tuple[str, float]] = attrs.field(factory=dict)

    def opens(self) -> None:
        backend: Any = self.backend
        backend.blocked = DIALOG
        HubListener(self.nursery, self.tab, backend, GRACE_MS, lambda *_: None).blocked(DIALOG)

    async def call(self, name: str, work_s: float, *, holds: bool = False) -> None:
        """Run a command that works this long on the tab; `ended` has how it ended, and when."""
        running = call_of("click", Client(name=name, kind="cli"), holds=holds)

        async def run() -> None:
            try:
                async with self.tab.turn(running):
                    await running.run(partial(trio.sleep, work_s))
                how = "ok"
            except DialogOpen:
                how = "dialog"
            self.ended[name] = (how, trio.current_time())

        self.nursery.start_soon(run)
        await wait_all_tasks_blocked()


@asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    tab = Tab("tab1", Identity(kind="key", instance="i"), Limits(), lambda _: None)
    backend: Any = Blocked()
    tab.attach(backend, lambda: None)
    async with trio.open_nursery() as nursery:
        yield Scene(nursery, tab, backend)


@pytest.mark.parametrize("work_s", [60, 1])
async def test_waiting_call_fails_at_once_and_running_call_after_grace_period(
    autojump_clock: MockClock, work_s: float
) -> None:
    async with scene() as at:
        began = trio.current_time()
        await at.call("first", work_s)
        await at.call("second", 0)
        at.opens()
    assert at.ended["second"] == ("dialog", began)
    assert at.ended["first"] == (("dialog", began + GRACE_MS / 1_000) if work_s == 60 else ("ok", began + work_s))


async def test_a_command_goes_on_when_the_dialog_has_closed_in_time(autojump_clock: MockClock) -> None:
    async with scene() as at:
        began = trio.current_time()
        await at.call("first", 10)
        at.opens()
        at.backend.blocked = None
    assert at.ended == {"first": ("ok", began + 10)}


async def test_a_script_answers_the_dialogs_of_its_tab_itself(autojump_clock: MockClock) -> None:
    async with scene() as at:
        began = trio.current_time()
        await at.call("script", 10, holds=True)
        at.opens()
    assert at.ended == {"script": ("ok", began + 10)}


# Every row of `tab_life` through a real `Tab`: what its actions promise, its commands see; and nothing else.


LOST = KaptureError(ErrorCode.TAB_DISCONNECTED, "the socket ended")

PATHS: dict[State, list[Event]] = {
    State.NEW: [],
    State.CONNECTED: [Event.REGISTERED],
    State.DISCONNECTED: [Event.REGISTERED, Event.LOST],
    State.GONE: [Event.REGISTERED, Event.LEFT],
}


@attrs.define(eq=False)
class FakeBackend:
    """The parts of a backend that `Tab` uses."""

    closing: bool = False
    why_left: str = ""
    address: Address = attrs.field(factory=lambda: Address(url="https://a.example/", title="A"))
    blocked: KaptureError | None = None


@attrs.define(eq=False)
class Caller:
    """One command, from its place in the queue to its end. `holds` it lets go of its turn late, when it is ended."""

    started: bool = False
    ended: str = ""
    release: trio.Event = attrs.field(factory=trio.Event)
    unwound: trio.Event = attrs.field(factory=trio.Event)
    holds: bool = False


class World:
    """A tab whose every event is fed by hand."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.nursery = nursery
        self.graces = 0
        self.tab = Tab("tab1", Identity(kind="key", instance="i"), Limits(), self.start_grace)
        self.client = Client(name="c", kind="cli")
        self.callers: list[Caller] = []

    def start_grace(self, tab: Tab) -> None:
        assert tab is self.tab
        self.graces += 1

    def happens(self, event: Event) -> None:
        match event:
            case Event.REGISTERED:
                self.tab.attach(FakeBackend(), lambda: None)  # type: ignore[arg-type]
            case Event.EXPIRED:
                self.tab.expire()
            case _:
                backend: Any = self.tab.backend
                backend.closing = event is Event.CLOSED
                self.tab.detach(backend, LOST, left=event is not Event.LOST)

    async def call(self, *, holds: bool = False) -> Caller:
        """A command of the one client, on the tab or in its queue; it runs until released."""
        caller = Caller(holds=holds)
        self.callers.append(caller)
        self.nursery.start_soon(self._run, caller)
        await wait_all_tasks_blocked()
        return caller

    async def _run(self, caller: Caller) -> None:
        running = call_of("list_tabs", self.client)

        async def work() -> None:
            caller.started = True
            await caller.release.wait()

        try:
            async with self.tab.turn(running):
                try:
                    await running.run(work)
                    caller.ended = "done"
                finally:
                    if caller.holds:
                        await caller.unwound.wait()
        except KaptureError as error:
            caller.ended = error.message


@asynccontextmanager
async def world_tab() -> AsyncIterator[World]:
    async with trio.open_nursery() as nursery:
        yield World(nursery)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("state", "event"), TABLE, ids=lambda one: one.name)
async def test_every_row_does_what_it_says_and_nothing_else(state: State, event: Event) -> None:
    after, actions = TABLE[state, event]
    async with world_tab() as there:
        for earlier in PATHS[state]:
            there.happens(earlier)
        assert there.tab.state is state
        if state is State.CONNECTED:
            running, waiting = await there.call(), await there.call()
        elif state is State.DISCONNECTED:
            running, waiting = Caller(), await there.call()
        else:
            running, waiting = Caller(), Caller()
        graces, back = there.graces, there.tab.back
        was_back = back.is_set()

        there.happens(event)
        assert there.tab.state is after
        await wait_all_tasks_blocked()

        assert (running.ended == LOST.message) == (Action.FAIL_RUNNING in actions)
        assert ("disconnected" in waiting.ended) == (Action.FAIL_WAITING in actions)
        assert there.graces - graces == (Action.START_GRACE in actions)
        assert (back.is_set() and not was_back) == (Action.END_GRACE in actions)
        assert waiting.started == (Action.START_NEXT in actions)


async def test_the_next_command_waits_until_that_of_the_lost_socket_has_unwound() -> None:
    async with world_tab() as there:
        there.happens(Event.REGISTERED)
        first, second = await there.call(holds=True), await there.call()
        there.happens(Event.LOST)
        there.happens(Event.REGISTERED)
        await wait_all_tasks_blocked()
        assert not second.started, "two commands ran at a time"
        first.unwound.set()
        await wait_all_tasks_blocked()
        assert first.ended == LOST.message
        assert second.started


async def test_a_gone_tab_takes_no_command_and_a_lost_one_keeps_it_waiting() -> None:
    async with world_tab() as there:
        there.happens(Event.REGISTERED)
        there.happens(Event.LOST)
        kept = await there.call()
        assert not kept.started
        there.happens(Event.EXPIRED)
        refused = await there.call()
        assert "disconnected" in kept.ended
        assert "disconnected" in refused.ended


Do = Event | str
_steps = st.lists(st.sampled_from([*Event, "call", "call, holding", "release"]), max_size=30)


async def _play(steps: list[Do]) -> None:
    async with world_tab() as there:
        there.happens(Event.REGISTERED)  # the router shows a tab to nobody before
        for do in steps:
            if isinstance(do, Event):
                if (there.tab.state, do) not in TABLE:
                    continue
                there.happens(do)
            elif do == "release":
                for caller in there.callers:
                    caller.unwound.set()
                    if caller.started:
                        caller.release.set()
            else:
                await there.call(holds="holding" in do)
            await wait_all_tasks_blocked()
            live = [one for one in there.callers if one.started and not one.ended]
            assert len(live) <= 1, "two commands ran at a time"
            assert there.tab.connected == (there.tab.backend is not None)
            if there.tab.state is State.GONE:
                assert all(one.ended or one.started for one in there.callers), "a command waits on a tab that has gone"
        if there.tab.connected:
            there.happens(Event.LOST)
        if there.tab.state is State.DISCONNECTED:
            there.happens(Event.EXPIRED)
        for caller in there.callers:
            caller.unwound.set()
            caller.release.set()
        await wait_all_tasks_blocked()
        assert all(caller.ended for caller in there.callers), "a caller has no answer"
        assert there.tab.idle


@settings(max_examples=examples(100), deadline=None)
@given(_steps)
def test_one_command_runs_at_a_time_and_each_ends(steps: list[Do]) -> None:
    trio.run(_play, steps)


CLIENTS = "abc"


class FairQueueMachine(RuleBasedStateMachine):
    """The queue against one plain line a client, and the turns that clients have had."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: FairQueue[tuple[str, int]] = FairQueue()
        self.lines: dict[str, deque[tuple[str, int]]] = {client: deque() for client in CLIENTS}
        self.count = 0
        self.passed_over = dict.fromkeys(CLIENTS, 0)

    @rule(client=st.sampled_from(CLIENTS))
    def push(self, client: str) -> None:
        self.count += 1
        item = (client, self.count)
        if not self.lines[client]:
            self.passed_over[client] = 0
        self.lines[client].append(item)
        self.queue.push(client, item)

    @precondition(lambda self: any(self.lines.values()))
    @rule()
    def pop(self) -> None:
        item = self.queue.pop()
        assert item is not None
        client = item[0]
        assert self.lines[client].popleft() == item, "a client's own commands must stay in order"
        for other in CLIENTS:
            waits = bool(self.lines[other]) and other != client
            self.passed_over[other] = self.passed_over[other] + 1 if waits else 0
            assert self.passed_over[other] < len(CLIENTS), f"{other} waits while others go twice"

    @precondition(lambda self: any(self.lines.values()))
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        client = data.draw(st.sampled_from([client for client in CLIENTS if self.lines[client]]))
        item = data.draw(st.sampled_from(list(self.lines[client])))
        self.lines[client].remove(item)
        assert self.queue.remove(client, item)
        assert not self.queue.remove(client, item)

    @rule(unready=st.sampled_from(CLIENTS))
    def pop_what_is_ready(self, unready: str) -> None:
        item = self.queue.pop(lambda item: item[0] != unready)
        if item is None:
            assert all(not line for client, line in self.lines.items() if client != unready)
        else:
            assert item[0] != unready
            assert self.lines[item[0]].popleft() == item
        self.passed_over = dict.fromkeys(CLIENTS, 0)

    @invariant()
    def nothing_is_lost(self) -> None:
        assert len(self.queue) == sum(map(len, self.lines.values()))
        assert sorted(self.queue) == sorted(item for line in self.lines.values() for item in line)


TestFairQueue = FairQueueMachine.TestCase
TestFairQueue.settings = settings(max_examples=examples(100), stateful_step_count=40, deadline=None)
