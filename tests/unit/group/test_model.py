"""What must hold in a group whatever happens: hubs and server end and come back, the network stands still, answers are
lost, messages are repeated, dropped and reordered, tabs move. Over the real directory and messages, in Trio's time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import attrs
import trio
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.group.directory import Directory
from kapture.group.engine import LEASE_S, RENEW_S
from tests.support.examples import examples
from tests.support.memory_engine import MemoryServer
from tests.support.simulated_group import KEY, Machine, SimulatedTab

_MACHINES = 3
_TABS = ("alpha", "bravo", "charlie")
"""One for each machine at first."""
_WHOLE_S = LEASE_S + RENEW_S + 2
"""Within this time after the last fault, every machine has all tabs."""
_LONGEST_CALL_S = 2.0
_MAY_HAVE_RUN = {ErrorCode.TAB_DISCONNECTED}
_HAS_NOT_RUN = {ErrorCode.TAB_NOT_FOUND, ErrorCode.QUEUE_FULL}


@attrs.frozen
class DoCall:
    machine: int
    tab: str


@attrs.frozen
class DoSleep:
    seconds: float


@attrs.frozen
class DoKill:
    machine: int


@attrs.frozen
class DoStart:
    machine: int


@attrs.frozen
class DoServer:
    """What happens to the server, or to all that wait there for a machine."""

    what: str
    machine: int


@attrs.frozen
class DoNetwork:
    """What happens between a machine and the server."""

    what: str
    machine: int


@attrs.frozen
class DoMove:
    """A tab comes to a machine; `stays`: another one goes on having the same id."""

    tab: str
    machine: int
    stays: bool


@attrs.frozen
class DoSkew:
    machine: int
    seconds: float


Action = DoCall | DoSleep | DoKill | DoStart | DoServer | DoNetwork | DoMove | DoSkew
_machine = st.integers(0, _MACHINES - 1)
_tab = st.sampled_from(_TABS)
_calls = st.builds(DoCall, _machine, _tab)
_ACTIONS = st.lists(
    st.one_of(
        _calls,
        _calls,
        _calls,
        st.builds(DoSleep, st.sampled_from([0.01, 0.3, 1.5, 6.0, 16.0, 35.0, 70.0])),
        st.builds(DoNetwork, st.sampled_from(["shut", "open", "cut", "lose answer", "lose answer"]), _machine),
        st.builds(
            DoServer,
            st.sampled_from(["go", "come back", "restart", "stop", "go on", "drop", "repeat", "reverse", "replay"]),
            _machine,
        ),
        st.builds(DoKill, _machine),
        st.builds(DoStart, _machine),
        st.builds(DoMove, _tab, _machine, st.booleans()),
        st.builds(DoSkew, _machine, st.sampled_from([-40.0, 0.0, 25.0, 40.0])),
    ),
    min_size=5,
    max_size=40,
)


@attrs.define(eq=False)
class World:
    """The group. `outcomes`: of each call, by its mark, the machine that answered or the code of its error."""

    nursery: trio.Nursery
    server: MemoryServer
    machines: list[Machine]
    executions: Counter[str]
    called: dict[str, str] = attrs.field(factory=dict)
    outcomes: dict[str, list[str | ErrorCode]] = attrs.field(factory=dict)
    ended: Changed = attrs.field(factory=Changed)

    async def do(self, action: Action) -> None:
        match action:
            case DoCall(machine, tab):
                if self.machines[machine].running:
                    self.nursery.start_soon(self.call, self.machines[machine], tab)
                    await trio.lowlevel.checkpoint()
            case DoSleep(seconds):
                await trio.sleep(seconds)
            case DoKill(machine):
                self.machines[machine].kill()
                await trio.testing.wait_all_tasks_blocked()
            case DoStart(machine):
                if not self.machines[machine].running:
                    await self.nursery.start(self.machines[machine].serve)
            case DoNetwork(what, machine):
                way = self.machines[machine].way
                if what == "lose answer":
                    way.lost_answers = 1
                else:
                    {"shut": way.shut, "open": way.reopen, "cut": way.cut}[what]()
            case DoServer(what, machine):
                self._server(what, self.machines[machine])
            case DoMove(tab, machine, stays):
                for other in self.machines:
                    if not stays:
                        other.remove(tab)
                self.machines[machine].add(SimulatedTab(tab, seconds=_LONGEST_CALL_S / 4))
            case DoSkew(machine, seconds):
                self.machines[machine].skew_s = seconds
        self.check_claims()

    def _server(self, what: str, machine: Machine) -> None:
        stream = self.server.streams.get(machine.member.run)
        waiting = stream.waiting if stream is not None else []
        match what:
            case "go" | "restart":
                self.server.go(forget=True)
                for one in self.machines:
                    one.way.cut()
                if what == "restart":
                    self.server.come_back()
            case "come back":
                self.server.come_back()
            case "stop":
                self.server.stop()
            case "go on":
                self.server.go_on()
            case "drop" if waiting:
                del waiting[0]
            case "repeat":
                waiting += waiting
            case "reverse":
                waiting.reverse()
            case "replay":
                for run, raw in (self.server.sent or [])[-10:]:
                    if run in self.server.streams:
                        self.server.put_in(run, raw)

    async def call(self, machine: Machine, tab_id: str) -> None:
        """Call a tab, and note every end of the call."""
        mark = f"#{len(self.called)}"
        self.called[mark] = tab_id
        ends = self.outcomes.setdefault(mark, [])
        try:
            result = await machine.call(tab_id, mark)
        except KaptureError as error:
            ends.append(error.code)
        else:
            assert result.data["clicked"] == mark, "another call's answer"
            ends.append(result.data["by"])
        self.ended.notify()

    async def all_ended(self) -> None:
        """Wait until no call is waited for."""
        while any(not ends for ends in self.outcomes.values()):
            await self.ended.wait()

    def check_claims(self) -> None:
        """No id is offered by two hubs."""
        now = trio.current_time()
        live = {run: hub for run, hub in self.server.hubs.items() if hub.ends > now}
        offered = Counter(tab for hub in live.values() for tab in hub.tabs if tab)
        assert max(offered.values(), default=0) <= 1, offered

    def check_calls(self) -> None:
        """Each call has one end, ran at most once, and not at all or once where the end says so."""
        for mark in self.called:
            ran, ends = self.executions[mark], self.outcomes[mark]
            assert len(ends) == 1, f"{mark} has ended {len(ends)} times"
            assert ran <= 1, f"{mark} ran {ran} times"
            if isinstance(ends[0], ErrorCode):
                event(ends[0].value)
                assert ends[0] in _MAY_HAVE_RUN | _HAS_NOT_RUN, ends[0]
                assert ran == 0 or ends[0] in _MAY_HAVE_RUN, f"{mark} ran, and failed with {ends[0]}"
            else:
                event("answered")
                assert ran == 1, f"{mark} was answered, and did not run"

    async def heal(self) -> None:
        """End all faults, with one machine for each tab."""
        self.server.come_back()
        self.server.go_on()
        for number, (machine, tab) in enumerate(zip(self.machines, _TABS, strict=True)):
            machine.skew_s, machine.way.lost_answers = 0.0, 0
            machine.way.reopen()
            await self.do(DoStart(number))
            await self.do(DoMove(tab, number, stays=False))


async def _live_through(actions: Sequence[Action]) -> None:
    server = MemoryServer()
    server.sent = []
    executions = Counter[str]()
    async with trio.open_nursery() as nursery:
        machines = [Machine(f"m{number}", server, executions) for number in range(_MACHINES)]
        world = World(nursery, server, machines, executions)
        await world.heal()
        await trio.sleep(1)
        for action in actions:
            await world.do(action)
        await world.heal()
        with trio.fail_after(2 * _WHOLE_S + len(actions) * _LONGEST_CALL_S):
            await world.all_ended()
        world.check_calls()
        await trio.sleep(_WHOLE_S)
        for (own, _), (other, tab) in permutations(zip(machines, _TABS, strict=True), 2):
            mark = f"#{len(world.called)}"
            await world.call(own, tab)
            assert world.outcomes[mark] == [other.name], f"{own.name} does not reach {tab}"
        for machine in machines:
            directory = Directory(KEY, machine.member.run, server.clock)
            rows = [tab_id for _, tab_id, _ in await directory.tabs(machine.member.engine)]
            assert sorted(rows) == sorted(set(_TABS) - machine.hub.tabs.keys())
        world.check_calls()
        nursery.cancel_scope.cancel()


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_ACTIONS)
@example(
    [
        DoNetwork("lose answer", 0),
        DoCall(0, "bravo"),
        DoSleep(0.01),
        DoNetwork("shut", 1),
        DoServer("restart", 0),
        DoSleep(1.5),
    ]
)
@example([DoCall(0, "bravo"), DoSleep(70.0), DoServer("replay", 0)])
def test_no_call_runs_twice_or_in_a_wrong_tab_or_stays_unanswered_whatever_fails(actions: Sequence[Action]) -> None:
    trio.run(_live_through, actions, clock=MockClock(autojump_threshold=0))
