"""A group of hubs under faults: hubs and the server are killed, the server stands still, a hub is cut off from it. Each
call carries a mark of its own and names its tab, and tabs count the marks: what ran twice or in the wrong tab shows."""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from itertools import permutations
from pathlib import Path
from statistics import median
from typing import Any

import attrs
import trio

from bench.group import joining
from bench.hub_process import HubProcess, free_port, started_hub
from bench.simulated_tab import SimulatedTab, simulated_tab
from kapture.changed import Changed
from kapture.group.key import new_key
from tests.faults.counting import CountingClient, counting_client
from tests.faults.world import PATIENCE_S, Tally
from tests.support.redis_server import RedisProcess, redis_server

_CALL_MS = 20_000
_BETWEEN_CALLS_S = 0.1
_QUIET_S = 3.0
_PROBE_S = 0.1
_MOST_WORK_S = 0.05
_READ_BYTES = 65_536
_NETWORK_ERRORS = (OSError, trio.BrokenResourceError, trio.ClosedResourceError)
UNKNOWN = frozenset({"TAB_DISCONNECTED", "COMMAND_TIMEOUT", "connection lost"})
"""Outcomes after which a call may have run, once, or not at all."""
REFUSED = frozenset({"TAB_NOT_FOUND", "QUEUE_FULL"})
"""Outcomes after which it must not have run."""


@attrs.define(eq=False)
class Gate:
    """Forwards `port` to another port. While it is shut nothing passes; what was sent meanwhile passes late, as on a
    network that resends what it lost."""

    port: int
    target: int
    _open: trio.Event = attrs.field(factory=trio.Event)
    _connections: set[trio.CancelScope] = attrs.field(factory=set)

    def shut(self) -> None:
        """Let nothing pass."""
        self._open = trio.Event()

    def open(self) -> None:
        """Let everything pass."""
        self._open.set()

    def cut(self) -> None:
        """End all connections."""
        for scope in self._connections:
            scope.cancel()

    async def serve(self, client: trio.SocketStream) -> None:
        """One connection, to its end."""
        with suppress(OSError), trio.CancelScope() as scope:
            self._connections.add(scope)
            try:
                async with (
                    await trio.open_tcp_stream("127.0.0.1", self.target) as server,
                    trio.open_nursery() as nursery,
                ):
                    nursery.start_soon(self._pump, client, server, scope)
                    nursery.start_soon(self._pump, server, client, scope)
            finally:
                self._connections.discard(scope)
        await trio.aclose_forcefully(client)

    async def _pump(self, source: trio.SocketStream, sink: trio.SocketStream, scope: trio.CancelScope) -> None:
        with suppress(*_NETWORK_ERRORS):
            while data := await source.receive_some(_READ_BYTES):
                while not self._open.is_set():
                    await self._open.wait()
                await sink.send_all(data)
        scope.cancel()


@asynccontextmanager
async def gate(target: int) -> AsyncIterator[Gate]:
    """An open gate to this port, until the block ends."""
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        there = Gate(listeners[0].socket.getsockname()[1], target)
        there.open()
        nursery.start_soon(partial(trio.serve_listeners, there.serve, listeners))
        yield there
        nursery.cancel_scope.cancel()


@attrs.define(eq=False, kw_only=True)
class MarkedTab(SimulatedTab):
    """Counts the marks that it executes, and takes a while."""

    executions: Counter[str]
    misled: list[str]
    gone: trio.Event = attrs.field(factory=trio.Event)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        try:
            await super().run(task_status=task_status)
        finally:
            self.gone.set()

    async def execute(self, params: dict[str, Any]) -> Any:
        mark = str(params.get("selector"))
        self.executions[mark] += 1
        if not mark.endswith(f"@{self.tab_id}"):
            self.misled.append(f"{mark} was executed in {self.tab_id}")
        await trio.sleep(random.uniform(0, _MOST_WORK_S))
        return mark


@attrs.define(eq=False)
class Member:
    """A hub of the group, which starts again when it was killed, and the ids of its tabs."""

    name: str
    home: Path
    port: int
    gate: Gate
    tab_ids: list[str]
    hub: HubProcess | None = None
    changed: Changed = attrs.field(factory=Changed)

    async def running(self) -> HubProcess:
        """The hub, once it runs."""
        while self.hub is None:
            await self.changed.wait()
        return self.hub


@attrs.define(eq=False)
class Group:
    """The group. `outcomes` has that of each mark: the code of an error, or nothing for one that was answered."""

    server: RedisProcess
    key: Path
    members: list[Member]
    tally: Tally
    chosen: random.Random
    executions: Counter[str] = attrs.field(factory=Counter)
    misled: list[str] = attrs.field(factory=list)
    outcomes: dict[str, str] = attrs.field(factory=dict)
    recovery_s: dict[str, list[float]] = attrs.field(factory=lambda: defaultdict(list))
    _numbers: int = 0

    async def call(self, own: Member, client: CountingClient, tab_id: str) -> str:
        """One call; its outcome. It must be answered, and by its tab."""
        self._numbers += 1
        mark = f"#{own.name}.{self._numbers}@{tab_id}"
        self.tally.calls += 1
        with trio.move_on_after(PATIENCE_S):
            result = await client.click(tab_id, mark, timeout_ms=_CALL_MS)
            self.outcomes[mark] = self._outcome(mark, tab_id, result)
            return self.outcomes[mark]
        self.tally.lost += 1
        raise AssertionError(f"{mark} was not answered within {PATIENCE_S} s")

    def _outcome(self, mark: str, tab_id: str, result: Mapping[str, Any] | None) -> str:
        if result is None:
            return "connection lost"
        text = result["content"][0]["text"]
        if result.get("isError"):
            found = re.match(r"([A-Z_]+)", text)
            return found[1] if found else text[:80]
        if f'"{mark}"' not in text or f'"{tab_id}"' not in text:
            self.tally.lost += 1
            raise AssertionError(f"{mark} was answered with {text[:300]!r}")
        return ""

    def check(self) -> None:
        """What must hold of all calls that were made."""
        assert not self.misled, self.misled[:3]
        twice = [mark for mark, count in self.executions.items() if count > 1]
        assert not twice, f"run twice: {twice[:3]}"
        unexpected = {outcome for outcome in self.outcomes.values() if outcome not in {"", *UNKNOWN, *REFUSED}}
        assert not unexpected, unexpected
        for mark, outcome in self.outcomes.items():
            assert outcome != "" or self.executions[mark] == 1, f"{mark} was answered, and no tab ran it"
            assert outcome not in REFUSED or self.executions[mark] == 0, f"{mark} was run, and refused: {outcome}"

    # Faults

    async def kill_hub(self) -> None:
        """Kill a hub; it starts again."""
        own = self.chosen.choice(self.members)
        hub = await own.running()
        own.hub = None
        hub.process.kill()
        own.changed.notify()
        await own.running()

    async def kill_server(self) -> None:
        """Kill the server and start another one, which has lost everything."""
        self.server.kill()
        await trio.to_thread.run_sync(self.server.start)

    async def stop_server(self) -> None:
        """Let the server stand still for 10 s."""
        self.server.stop()
        try:
            await trio.sleep(10)
        finally:
            self.server.go_on()

    async def partition_hub(self) -> None:
        """Cut one hub off from the server; afterwards, its connections have ended or go on with what was sent."""
        own = self.chosen.choice(self.members)
        own.gate.shut()
        await trio.sleep(self.chosen.uniform(0.5, 25))
        if self.chosen.random() < 0.5:
            own.gate.cut()
        own.gate.open()

    async def cut_connections(self) -> None:
        """End the connections of one hub to the server."""
        self.chosen.choice(self.members).gate.cut()

    async def inject(self, name: str, fault: Callable[[], Awaitable[None]]) -> None:
        """Inject a fault, and wait until every hub reaches the tabs of every other one again."""
        self.tally.faults[name] += 1
        await fault()
        began = time.perf_counter()
        with trio.move_on_after(2 * PATIENCE_S) as patience:
            await self.reached()
        assert not patience.cancelled_caught, f"the group was not whole within {2 * PATIENCE_S} s: {name}"
        self.recovery_s[name].append(time.perf_counter() - began)
        self.tally.recovery_s.append(self.recovery_s[name][-1])

    async def reached(self) -> None:
        """Wait until every hub reaches a tab of every other one."""
        async with trio.open_nursery() as nursery:
            for own, other in permutations(self.members, 2):
                nursery.start_soon(self._reach, own, other.tab_ids[0])

    async def _reach(self, own: Member, tab_id: str) -> None:
        async def probe(client: CountingClient) -> bool:
            return not await self.call(own, client, tab_id)

        await self._repeat(own, probe, lambda: _PROBE_S)

    async def work(self, own: Member) -> None:
        """Call tabs of the group at random."""
        tab_ids = [tab_id for member in self.members for tab_id in member.tab_ids]

        async def once(client: CountingClient) -> bool:
            await self.call(own, client, self.chosen.choice(tab_ids))
            return False

        await self._repeat(own, once, lambda: self.chosen.uniform(0, 2 * _BETWEEN_CALLS_S))

    async def _repeat(
        self, own: Member, once: Callable[[CountingClient], Awaitable[bool]], pause_s: Callable[[], float]
    ) -> None:
        """Repeat this with a client of the hub until it is true; with another client when the hub was killed."""
        while True:
            hub = await own.running()
            with suppress(*_NETWORK_ERRORS):
                async with _flat(counting_client(hub.port, hub.token)) as client:
                    while not client.lost:
                        if await once(client):
                            return
                        await trio.sleep(pause_s())
                    assert client.answered_twice() == []
            await trio.sleep(_PROBE_S)

    # What runs all the time

    async def keep_hub(self, own: Member) -> None:
        """Run the hub, and again after it was killed."""
        arguments = joining(f"redis://127.0.0.1:{own.gate.port}/0", self.key, own.name)
        while True:
            running = started_hub(own.home, own.port, arguments)
            own.hub = await trio.to_thread.run_sync(running.__enter__)
            own.changed.notify()
            try:
                while own.hub is not None:
                    await own.changed.wait()
            finally:
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(running.__exit__, None, None, None)

    async def keep_tab(self, own: Member, tab_id: str) -> None:
        """Keep a tab connected, as the extension does."""
        make = partial(MarkedTab, executions=self.executions, misled=self.misled)
        while True:
            hub = await own.running()
            with suppress(*_NETWORK_ERRORS):
                async with _flat(simulated_tab(hub.port, hub.token, tab_id, key=hub.key, make=make)) as tab:
                    await tab.gone.wait()
            await trio.sleep(_PROBE_S)


@asynccontextmanager
async def _flat(block: Any) -> AsyncIterator[Any]:
    """Network errors as themselves, out of their groups."""
    try:
        async with block as value:
            yield value
    except* _NETWORK_ERRORS as group:
        raise trio.BrokenResourceError(str(group.exceptions[0])) from group


@asynccontextmanager
async def group_of_hubs(
    folder: Path, tally: Tally, *, seed: int, hubs: int = 3, tabs: int = 10, clients: int = 4
) -> AsyncIterator[Group]:
    """A group under load, for the duration of the block; at its end all calls are checked."""
    async with AsyncExitStack() as stack:
        port = free_port()
        arguments = ("--bind", "127.0.0.1", "--port", str(port))
        server = stack.enter_context(redis_server(folder / "redis", *arguments, port=port))
        key = folder / "group.key"
        new_key("faults", key)
        there = Group(server, key, [], tally, random.Random(seed))
        for number in range(hubs):
            name = f"m{number}"
            (folder / name).mkdir(mode=0o700)
            way = await stack.enter_async_context(gate(port))
            tab_ids = [f"{name}tab{tab}" for tab in range(tabs)]
            there.members.append(Member(name, folder / name, free_port(), way, tab_ids))
        async with trio.open_nursery() as keeping:
            for member in there.members:
                keeping.start_soon(there.keep_hub, member)
                for tab_id in member.tab_ids:
                    keeping.start_soon(there.keep_tab, member, tab_id)
            with trio.fail_after(PATIENCE_S):
                await there.reached()
            async with trio.open_nursery() as working:
                for member in there.members:
                    for _ in range(clients):
                        working.start_soon(there.work, member)
                yield there
                working.cancel_scope.cancel()
            keeping.cancel_scope.cancel()
        there.check()


async def faults_at_random(folder: Path, tally: Tally, *, seed: int, calls: int, faults: int) -> None:
    """Inject at least so many faults while at least so many calls are made."""
    async with group_of_hubs(folder, tally, seed=seed) as there:
        kinds = {
            "hub killed": there.kill_hub,
            "server killed": there.kill_server,
            "server stopped for 10 s": there.stop_server,
            "hub partitioned for 0.5 to 25 s": there.partition_hub,
            "connections cut": there.cut_connections,
        }
        while tally.calls < calls or tally.faults.total() < faults:
            for name in there.chosen.sample(list(kinds), len(kinds)):
                await there.inject(name, kinds[name])
                await trio.sleep(there.chosen.uniform(0, 2 * _QUIET_S))
    outcomes = Counter(outcome or "answered" for outcome in there.outcomes.values())
    print(f"group: {dict(outcomes)}, {there.executions.total()} executions", file=sys.stderr)
    for name, took in there.recovery_s.items():
        print(f"  {name}: whole after {median(took):.1f} s, at most {max(took):.1f} s", file=sys.stderr)
