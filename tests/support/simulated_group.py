"""Hubs of a group without browsers, on a server in memory: the real directory, messages and calls of a group."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import attrs
import trio

from kapture.changed import Changed
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import Progress
from kapture.errors import ErrorCode, KaptureError
from kapture.group.caller import Caller
from kapture.group.directory import TabRecord
from kapture.group.engine import RENEW_S, EngineAway, Renewal
from kapture.group.key import GroupKey
from kapture.group.member import Member
from kapture.group.messages import Body, FromElsewhere
from kapture.group.owner import Owner
from kapture.hub import Client, Hub
from kapture.hub.elsewhere import not_for_group
from tests.support.memory_engine import MemoryEngine, MemoryServer

KEY = GroupKey("team", b"k" * 32)
_MOST_WAITING = 64


_ANSWERS_S = 4.0


@attrs.define(eq=False)
class Way:
    """The network between one machine and the server."""

    open: bool = True
    lost_answers: int = 0
    """So many of the next changes take effect at the server, and then the connection ends."""
    connection: int = 0
    _changed: Changed = attrs.field(factory=Changed)

    def shut(self) -> None:
        """Let nothing pass; what is sent meanwhile passes late."""
        self.open = False

    def reopen(self) -> None:
        """Let everything pass."""
        self.open = True
        self._changed.notify()

    def cut(self) -> None:
        """End the connection."""
        self.connection += 1
        self._changed.notify()

    async def passed(self, connection: int) -> None:
        """Wait until it is open, as long as a client waits."""
        with trio.move_on_after(_ANSWERS_S):
            while not self.open and connection == self.connection:
                await self._changed.wait()
        if not self.open or connection != self.connection:
            raise EngineAway("The connection has ended.")


class FaultyEngine(MemoryEngine):
    """A connection on such a way."""

    def __init__(self, server: MemoryServer, way: Way) -> None:
        super().__init__(server, lambda: True)
        self._way = way
        self._connection = way.connection

    async def ready(self) -> None:
        await self._way.passed(self._connection)
        await super().ready()

    async def renew(self, run: str, facts: bytes, changed: Mapping[str, bytes], gone: Collection[str]) -> Renewal:
        renewal = await super().renew(run, facts, changed, gone)
        await self._answered()
        return renewal

    async def send(self, messages: Sequence[tuple[str, bytes]]) -> Sequence[bool]:
        sent = await super().send(messages)
        await self._answered()
        return sent

    async def _answered(self) -> None:
        if self._way.lost_answers:
            self._way.lost_answers -= 1
            self._way.cut()
        await self._way.passed(self._connection)


@attrs.define(eq=False)
class SimulatedTab:
    """A tab of a machine. It runs one call after the other, each for so many seconds."""

    tab_id: str
    seconds: float = 0.0
    for_group: bool = True
    turn: trio.Lock = attrs.field(factory=trio.Lock)


@attrs.define(eq=False)
class TabsOfMachine:
    """As much of a hub as a group needs. `executions` counts the selectors of the calls that its tabs have begun."""

    machine: str
    executions: Counter[str]
    tabs: dict[str, SimulatedTab] = attrs.field(factory=dict)

    @property
    def state(self) -> Any:
        """The hub's."""
        router = SimpleNamespace(known=self.tabs.get)
        policy = SimpleNamespace(shares={}, files=lambda _: SimpleNamespace(home=Path("/nonexistent")))
        return SimpleNamespace(router=router, consent=SimpleNamespace(policy=policy), carried={})

    @contextmanager
    def client(self, **described: Any) -> Iterator[Any]:
        """A client."""
        yield SimpleNamespace(**described)

    async def call(
        self, client: Client, command: str, arguments: Mapping[str, Any], *, progress: Progress | None = None
    ) -> CallResult:
        """Run a call; the answer names the machine and the call."""
        tab = self.tabs.get(arguments["tabId"])
        if tab is None:
            raise not_for_group(arguments["tabId"])
        if tab.turn.statistics().tasks_waiting >= _MOST_WAITING:
            raise KaptureError(ErrorCode.QUEUE_FULL, "Too many calls wait for the tab.")
        async with tab.turn:
            self.executions[arguments["selector"]] += 1
            await trio.sleep(tab.seconds)
        data = {"by": self.machine, "clicked": arguments["selector"]}
        return CallResult(answer=FromElsewhere(line="ok"), text="ok", data=data)


@attrs.define(eq=False)
class Machine:
    """A machine of the group, with one client. `skew_s`: by how much its clock is ahead. `engine`: its connection."""

    name: str
    server: MemoryServer
    executions: Counter[str]
    skew_s: float = 0.0
    engine: Callable[[MemoryServer, Way], FaultyEngine] = FaultyEngine
    way: Way = attrs.field(factory=Way)
    hub: TabsOfMachine = attrs.field(init=False)
    client: Client = attrs.field(factory=lambda: Client(name="agent"))
    member: Member = attrs.field(init=False)
    _caller: Caller = attrs.field(init=False)
    _scope: trio.CancelScope | None = attrs.field(default=None, init=False)
    _calls: set[trio.CancelScope] = attrs.field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        self.hub = TabsOfMachine(self.name, self.executions)

    @property
    def running(self) -> bool:
        """Whether its hub runs."""
        return self._scope is not None

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Run the hub until it is killed, or cancelled."""
        member = self.member = Member(self._connect, KEY, self.name, clock=lambda: self.server.clock() + self.skew_s)
        caller = self._caller = Caller(member)
        for tab_id in self.hub.tabs:
            member.put(tab_id, RECORD)
        with trio.CancelScope() as self._scope:
            async with trio.open_nursery() as nursery:
                owner = Owner(member, cast("Hub", self.hub), nursery)

                def take(sender: str, body: Body) -> None:
                    caller.take(sender, body)
                    owner.take(sender, body)

                async def look_after() -> None:
                    while True:
                        await trio.sleep(RENEW_S)
                        await owner.check()

                def lost() -> None:
                    caller.lost()
                    owner.lose_all()

                def undelivered(run: str, bodies: Any) -> None:
                    caller.undelivered(run, bodies)
                    owner.lose(run)

                member.on = attrs.evolve(member.on, body=take, lost=lost, tick=caller.tick, undelivered=undelivered)
                nursery.start_soon(member.serve)
                nursery.start_soon(look_after)
                task_status.started()
        self._scope = None

    @asynccontextmanager
    async def _connect(self) -> AsyncIterator[MemoryEngine]:
        engine = self.engine(self.server, self.way)
        await engine.ready()
        yield engine

    def kill(self) -> None:
        """End the hub at once; its calls end with it."""
        self.way.cut()
        for scope in (self._scope, *self._calls):
            if scope is not None:
                scope.cancel()

    def add(self, tab: SimulatedTab) -> None:
        """Connect a tab."""
        self.hub.tabs[tab.tab_id] = tab
        if self.running:
            self.member.put(tab.tab_id, RECORD)

    def remove(self, tab_id: str) -> None:
        """Disconnect a tab."""
        if self.hub.tabs.pop(tab_id, None) is not None and self.running:
            self.member.withdraw(tab_id)

    async def call(self, tab_id: str, mark: str) -> CallResult:
        """Have the client call a tab of another machine."""
        with trio.CancelScope() as scope:
            if self._scope is None or self._scope.cancel_called:
                scope.cancel()
            self._calls.add(scope)
            try:
                return await self._caller.call(self.client, "click", {"tabId": tab_id, "selector": mark}, None)
            finally:
                self._calls.discard(scope)
        raise KaptureError(ErrorCode.TAB_DISCONNECTED, "The hub of the client was killed.")


RECORD = TabRecord(
    kind="extension",
    url="https://example.com/",
    title="An example of a title",
    grant={"sites": ["example.com"], "level": "interact"},
    connected_at="2026-01-01T00:00:00Z",
    browser="4f3a9c2d7e1b5a60",
    profile="Work",
)
