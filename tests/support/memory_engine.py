"""The server of a group in memory, on Trio's clock: what `kapture.group.redis_engine` does, without sockets. It can be
away, stop for a while, forget everything, and do to messages what a hostile server could."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager

import attrs
import trio

from kapture.changed import Changed
from kapture.group.engine import CHUNK_S, LEASE_S, MOST_ENTRIES, STREAM_S, EngineAway, Renewal

Tamper = Callable[[str, bytes], Sequence[tuple[str, bytes]]]
"""What a message for a run becomes: these messages, for these runs."""


@attrs.define
class _Hub:
    ends: float
    tabs: dict[str, bytes] = attrs.field(factory=dict)


@attrs.define
class _Stream:
    ends: float
    waiting: list[bytes] = attrs.field(factory=list)
    arrived: Changed = attrs.field(factory=Changed)


@attrs.define
class Counts:
    """What the server was asked."""

    renewals: int = 0
    messages: int = 0
    bytes: int = 0
    lookups: int = 0
    dropped: int = 0


class MemoryServer:
    """`epoch`: Unix seconds at the start of Trio's clock."""

    def __init__(self, epoch: float = 1_800_000_000.0) -> None:
        self.epoch = epoch
        self.counts = Counts()
        self.tamper: Tamper = lambda run, raw: [(run, raw)]
        self.sent: list[tuple[str, bytes]] | None = None
        """Every message, if set to a list."""
        self.hubs: dict[str, _Hub] = {}
        self.owners: dict[str, tuple[str, float]] = {}
        self.streams: dict[str, _Stream] = {}
        self.chunks: dict[str, tuple[bytes, float]] = {}
        self.up = True
        self.stopped = False
        self.changed = Changed()

    def clock(self) -> float:
        """Unix seconds."""
        return self.epoch + trio.current_time()

    # Faults

    def go(self, *, forget: bool = False) -> None:
        """Be away: every connection ends. `forget`: as a server that keeps nothing on its disk."""
        self.up = False
        if forget:
            self.hubs, self.owners, self.streams, self.chunks = {}, {}, {}, {}
        self.changed.notify()

    def come_back(self) -> None:
        """Be there again."""
        self.up = True
        self.changed.notify()

    def stop(self) -> None:
        """Answer nobody, as after SIGSTOP."""
        self.stopped = True

    def go_on(self) -> None:
        """Answer again."""
        self.stopped = False
        self.changed.notify()

    def put_in(self, run: str, raw: bytes) -> None:
        """Put this message into the stream of a hub, whoever it is from."""
        self.streams[run].waiting.append(raw)
        self.streams[run].arrived.notify()

    def entries(self) -> tuple[int, int]:
        """How many hubs and tabs it knows."""
        return len(self.hubs), len(self.owners)

    @asynccontextmanager
    async def connect(self, reach: Callable[[], bool] = lambda: True) -> AsyncIterator[MemoryEngine]:
        """A connection. `reach`: whether its hub reaches the server now."""
        engine = MemoryEngine(self, reach)
        await engine.ready()
        yield engine


class MemoryEngine:
    """`kapture.group.engine.Engine`."""

    def __init__(self, server: MemoryServer, reach: Callable[[], bool]) -> None:
        self._server = server
        self._reach = reach

    async def ready(self) -> None:
        """Wait while the server has stopped, for as long as a client waits; `EngineAway` if it is away."""
        await trio.lowlevel.checkpoint()
        with trio.move_on_after(4):
            while self._server.stopped:
                await self._server.changed.wait()
        if self._server.stopped:
            raise EngineAway("it does not answer")
        if not self._server.up or not self._reach():
            raise EngineAway("Connection refused")

    async def renew(self, run: str, facts: bytes, changed: Mapping[str, bytes], gone: Collection[str]) -> Renewal:
        await self.ready()
        server, now = self._server, trio.current_time()
        server.counts.renewals += 1
        server.counts.bytes += len(facts) + sum(map(len, changed.values()))
        hub = server.hubs.get(run)
        fresh = hub is None or hub.ends <= now
        if hub is None or fresh:
            hub = server.hubs[run] = _Hub(now)
        hub.tabs |= changed
        owners, taken = server.owners, []
        for tab_id in gone:
            hub.tabs.pop(tab_id, None)
            if owners.get(tab_id, ("", 0))[0] == run:
                del owners[tab_id]
        hub.tabs[""] = facts
        for tab_id in [tab_id for tab_id in hub.tabs if tab_id]:
            owner, ends = owners.get(tab_id, (run, math.inf))
            if owner == run or ends <= now:
                owners[tab_id] = (run, now + LEASE_S)
            else:
                del hub.tabs[tab_id]
                taken.append(tab_id)
        hub.ends = now + LEASE_S
        stream = server.streams.get(run)
        if stream is None or stream.ends <= now:
            stream = server.streams[run] = _Stream(now)
        stream.ends = now + STREAM_S
        return Renewal(fresh=fresh, taken=taken, now=server.clock())

    async def leave(self, run: str) -> None:
        await self.ready()
        server = self._server
        hub = server.hubs.pop(run, None)
        server.streams.pop(run, None)
        for tab_id in () if hub is None else hub.tabs:
            if server.owners.get(tab_id, ("", 0))[0] == run:
                del server.owners[tab_id]

    async def owner(self, tab_id: str) -> str | None:
        await self.ready()
        self._server.counts.lookups += 1
        owner, ends = self._server.owners.get(tab_id, ("", 0.0))
        return owner if ends > trio.current_time() else None

    async def facts(self, run: str) -> bytes | None:
        await self.ready()
        self._server.counts.lookups += 1
        hub = self._server.hubs.get(run)
        return hub.tabs.get("") if hub is not None and hub.ends > trio.current_time() else None

    async def live(self) -> frozenset[str]:
        await self.ready()
        now = trio.current_time()
        return frozenset(run for run, hub in self._server.hubs.items() if hub.ends > now)

    async def hubs(self, *, tabs: bool) -> Mapping[str, Mapping[str, bytes]]:
        live = await self.live()
        hubs = self._server.hubs
        return {run: dict(hubs[run].tabs) if tabs else {"": hubs[run].tabs[""]} for run in sorted(live)}

    async def send(self, messages: Sequence[tuple[str, bytes]]) -> Sequence[bool]:
        await self.ready()
        server, delivered = self._server, []
        for run, raw in messages:
            server.counts.messages += 1
            server.counts.bytes += len(raw)
            if server.sent is not None:
                server.sent.append((run, raw))
            delivered.append(self._stream(run) is not None)
            for to, content in server.tamper(run, raw):
                if (stream := self._stream(to)) is not None:
                    stream.waiting.append(content)
                    if len(stream.waiting) > MOST_ENTRIES:
                        server.counts.dropped += 1
                        del stream.waiting[0]
                    stream.arrived.notify()
        await self.ready()  # the answer may not come, although all has arrived
        return delivered

    def _stream(self, run: str) -> _Stream | None:
        stream = self._server.streams.get(run)
        return stream if stream is not None and stream.ends > trio.current_time() else None

    async def receive(self, run: str) -> Sequence[bytes]:
        while True:
            await self.ready()
            stream = self._stream(run)
            if stream is not None and stream.waiting:
                read, stream.waiting = stream.waiting, []
                return read
            with trio.move_on_after(1):
                await (self._server.changed if stream is None else stream.arrived).wait()

    async def put(self, chunks: Mapping[str, bytes]) -> None:
        await self.ready()
        self._server.chunks |= {name: (chunk, trio.current_time() + CHUNK_S) for name, chunk in chunks.items()}

    async def take(self, names: Sequence[str]) -> Sequence[bytes | None]:
        await self.ready()
        found = [self._server.chunks.pop(name, (None, 0.0)) for name in names]
        return [chunk if ends > trio.current_time() else None for chunk, ends in found]
