"""Every row of `tab_life` through a real `Tab`: what its actions promise, its commands see; and nothing else."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from trio.testing import wait_all_tasks_blocked

import kapture.commands  # noqa: F401  declares every command
from kapture.backends.backend import Address
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client
from kapture.hub.tabs.tab import FairQueue, Identity, Tab
from kapture.hub.tabs.tab_life import TABLE, Action, Event, State
from kapture.settings import Limits
from tests.support.calls import call_of
from tests.support.examples import examples

LOST = KaptureError(ErrorCode.TAB_DISCONNECTED, "the socket ended")

PATHS: dict[State, list[Event]] = {
    State.NEW: [],
    State.CONNECTED: [Event.REGISTERED],
    State.DISCONNECTED: [Event.REGISTERED, Event.LOST],
    State.GONE: [Event.REGISTERED, Event.LEFT],
}


@attrs.define(eq=False)
class FakeBackend:
    """What `Tab` uses of a backend."""

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
async def world() -> AsyncIterator[World]:
    async with trio.open_nursery() as nursery:
        yield World(nursery)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("state", "event"), TABLE, ids=lambda one: one.name)
async def test_every_row_does_what_it_says_and_nothing_else(state: State, event: Event) -> None:
    after, actions = TABLE[state, event]
    async with world() as there:
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
    async with world() as there:
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
    async with world() as there:
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
    async with world() as there:
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
def test_whatever_happens_to_a_tab_one_command_runs_at_a_time_and_each_ends(steps: list[Do]) -> None:
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
