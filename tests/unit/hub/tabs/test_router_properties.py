"""The router against tabs that answer late, twice, never, out of order, with garbage, or vanish, on a mock clock."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from hypothesis import HealthCheck, given, settings
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client
from tests.support.examples import examples
from tests.unit.hub.random_actions import (
    ACTIONS,
    CALM,
    UNRULY,
    DoCall,
    DoNoise,
    DoSleep,
    DoTakeOver,
    DoVanish,
)
from tests.unit.hub.simulated import SimulatedTab, World, world


@attrs.define(eq=False)
class Made:
    """A call that was made, and all its ends."""

    number: int
    do: DoCall
    started: float
    ends: list[Any] = attrs.field(factory=list)
    ended: float = 0
    cancelled: bool = False
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    done: trio.Event = attrs.field(factory=trio.Event)


class Unruly:
    """One simulated tab, through all its sockets."""

    def __init__(self, script: Script, name: str) -> None:
        self.script = script
        self.name = name
        self.socket: SimulatedTab | None = None
        self.open: dict[tuple[SimulatedTab, str], Made] = {}  # ids begin anew with each socket
        self.heard: list[int] = []
        self.held: list[tuple[SimulatedTab, dict[str, Any], Made]] = []

    async def live(self) -> None:
        """Connect, and react to everything until the socket ends."""
        there = self.script.there
        socket = await there.connect_proven()
        reply = await socket.register(self.name, browser={"instance": self.name})
        if reply["type"] != "registered":
            return
        self.socket = socket
        self.open.clear()
        while True:
            message = await socket.receive("command", "cancel", "closed")
            if message["type"] == "closed":
                break
            if message["type"] == "cancel":
                self.open.pop((socket, message["id"]), None)
                continue
            self.take(socket, message)
        if self.socket is socket:
            self.socket = None

    def take(self, socket: SimulatedTab, message: dict[str, Any]) -> None:
        made = self.script.made[int(message["params"]["word"])]
        assert made.do.tab == self.name, "a command reached a wrong tab"
        if not made.do.control:
            others = [other.number for other in self.open.values() if not other.do.control]
            assert not others, f"{made.number} was sent while {others} ran"
            self.heard.append(made.number)
        self.open[socket, message["id"]] = made
        self.script.there.nursery.start_soon(self.react, socket, message, made)

    async def react(self, socket: SimulatedTab, message: dict[str, Any], made: Made) -> None:
        key = message["id"]
        match made.do.reaction:
            case "now":
                await self.answer(socket, message, made)
            case "late":
                await trio.sleep(made.do.seconds)
                await self.answer(socket, message, made)
            case "twice":
                await self.answer(socket, message, made)
                await self.answer(socket, message, made)
            case "never":
                pass
            case "garbage":
                self.open.pop((socket, key), None)
                await socket.raw(f'{{"type":"response","id":"{key}","success":17}}')
            case "error":
                self.open.pop((socket, key), None)
                error = {"code": "ELEMENT_NOT_FOUND", "message": f"not {made.number}"}
                await socket.send(type="response", id=key, success=False, result=None, error=error)
            case "stray":
                number = int(key[1:])
                for other in (number - 1, 99_999):
                    if (socket, f"c{other}") not in self.open:
                        await socket.send(type="response", id=f"c{other}", success=True, result="stray")
                await self.answer(socket, message, made)
            case "vanish":
                await self.vanish(made.do.seconds)
            case "hold":
                self.held.append((socket, message, made))
                await trio.sleep(made.do.seconds)
                while self.held:  # out of order: the newest first
                    await self.answer(*self.held.pop())

    async def answer(self, socket: SimulatedTab, message: dict[str, Any], made: Made) -> None:
        self.open.pop((socket, message["id"]), None)
        await socket.answer(message, f"answer {made.number}")

    async def vanish(self, seconds: float) -> None:
        if (socket := self.socket) is None:
            return
        self.socket = None
        await socket.close()
        if seconds < 20:
            await trio.sleep(seconds)
            if self.socket is None:
                self.script.there.nursery.start_soon(self.live)


class Script:
    """Carries actions out and judges what came of them."""

    def __init__(self, there: World, clients: list[Client]) -> None:
        self.there = there
        self.clients = clients
        self.made: list[Made] = []
        self.tabs = {name: Unruly(self, name) for name in (*UNRULY, CALM)}

    async def run(self, actions: list[Any]) -> None:
        for each in self.tabs.values():
            self.there.nursery.start_soon(each.live)
        await wait_all_tasks_blocked()
        for action in actions:
            match action:
                case DoCall():
                    made = Made(len(self.made), action, trio.current_time())
                    self.made.append(made)
                    self.there.nursery.start_soon(self.call, made)
                    if action.cancel_after is not None:
                        self.there.nursery.start_soon(self.cancel, made, action.cancel_after)
                    await wait_all_tasks_blocked()
                case DoSleep(seconds):
                    await trio.sleep(seconds)
                case DoVanish(tab, seconds):
                    self.there.nursery.start_soon(self.tabs[tab].vanish, seconds)
                    await wait_all_tasks_blocked()
                case DoNoise(tab, frame):
                    if (socket := self.tabs[tab].socket) is not None:
                        await socket.raw(frame)
                case DoTakeOver(tab, same_browser):
                    await self.take_over(self.tabs[tab], same_browser)
        for made in self.made:
            await made.done.wait()
        await trio.sleep(50)  # for answers that are later still

    async def call(self, made: Made) -> None:
        arguments = {"tabId": made.do.tab, "word": str(made.number), "timeout": made.do.timeout_ms}
        name = "t_peek" if made.do.control else "t_echo"
        with made.scope:
            try:
                result = await self.there.hub.call(self.clients[made.do.client], name, arguments)
                made.ends.append(result.text)
            except KaptureError as error:
                made.ends.append(error)
        if made.scope.cancelled_caught:
            made.ends.append("cancelled")
        made.ended = trio.current_time()
        made.done.set()

    async def cancel(self, made: Made, after: float) -> None:
        await trio.sleep(after)
        if not made.ends:
            made.cancelled = True
            made.scope.cancel()

    async def take_over(self, tab: Unruly, same_browser: bool) -> None:
        if same_browser:
            self.there.nursery.start_soon(tab.live)
        else:
            before = tab.socket
            impostor = await self.there.connect_proven()
            reply = await impostor.register(tab.name, browser={"instance": "impostor"})
            assert reply["type"] == "refused"
            if before is not None:
                assert tab.socket in (before, None), "an impostor took over"  # it may vanish or come back by itself
        await wait_all_tasks_blocked()

    def judge(self) -> None:
        for made in self.made:
            assert len(made.ends) == 1, f"call {made.number} has the ends {made.ends}"
            self.judge_end(made, made.ends[0])
        for tab in self.tabs.values():
            order = defaultdict(list)
            for number in tab.heard:
                order[self.made[number].do.client].append(number)
            for heard in order.values():
                assert heard == sorted(heard), f"tab {tab.name} got one client's commands as {heard}"

    def judge_end(self, made: Made, end: Any) -> None:
        do = made.do
        if do.tab == CALM:
            assert end == f"answer {made.number}"
            assert made.ended == made.started, "another tab's troubles delayed a calm one"
            return
        if isinstance(end, str):
            assert end == f"answer {made.number}" or (end == "cancelled" and made.cancelled)
            return
        allowed = {ErrorCode.TAB_DISCONNECTED, ErrorCode.COMMAND_TIMEOUT}
        if do.reaction == "garbage":
            allowed.add(ErrorCode.PROTOCOL_ERROR)
        if do.reaction == "error":
            allowed.add(ErrorCode.ELEMENT_NOT_FOUND)
            if end.code is ErrorCode.ELEMENT_NOT_FOUND:
                assert end.message == f"not {made.number}", "an error was given to another command"
        if do.reaction in ("now", "twice", "stray", "garbage", "error"):
            allowed.discard(ErrorCode.COMMAND_TIMEOUT)
        assert end.code in allowed, f"call {made.number} ({do}) ended with {end!r}"


async def _play(home: Path, actions: list[Any]) -> None:
    async with world(home) as there:
        with (
            there.hub.client(name="a", kind="cli") as a,
            there.hub.client(name="b", kind="cli") as b,
            there.hub.client(name="c", kind="cli") as c,
        ):
            quiet = trio.lowlevel.current_statistics().tasks_living
            script = Script(there, [a, b, c])
            await script.run(actions)
            script.judge()
            for tab in there.hub.state.router:
                assert tab.idle, f"tab {tab.tab_id} still has something to do"
                assert tab.backend is None or tab.backend.traffic.pending_requests == 0
            for simulated in script.tabs.values():
                if simulated.socket is not None:
                    await simulated.socket.close(4001)
            await trio.sleep(100)
            assert len(there.hub.state.router) == 0
            assert trio.lowlevel.current_statistics().tasks_living == quiet, "tasks were left behind"


@settings(
    max_examples=examples(500), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(actions=ACTIONS)
def test_every_accepted_command_gets_exactly_one_answer_its_own_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, actions: list[Any]
) -> None:
    home = tmp_path_factory.getbasetemp()  # for all examples
    trio.run(_play, home, actions, clock=MockClock(autojump_threshold=0))


def test_the_simulation_notices_a_wrong_answer() -> None:
    do = DoCall(tab="one", client=0, control=False, timeout_ms=1, reaction="now", seconds=1, cancel_after=None)
    script = Script.__new__(Script)
    with pytest.raises(AssertionError):
        script.judge_end(Made(3, do, started=0), "answer 4")
