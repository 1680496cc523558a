"""Machines of a group in one process: hubs with simulated tabs, and a server in memory."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import trio

from kapture.group.engine import Connect
from kapture.group.group import in_group
from kapture.group.key import GroupKey
from kapture.group.member import Member
from kapture.hub import Client, Hub
from kapture.policy.audit import AuditLog, entries
from tests.support.memory_engine import MemoryServer
from tests.unit.hub.simulated import SimulatedTab, World, world
from tests.unit.hub.test_extensions import BROWSER

KEY = GroupKey("team", bytes(range(32)))
GRANT = {"sites": ["shop.example"], "level": "interact"}


@attrs.define
class Network:
    """The way to a server in memory, which some machines may not reach: `cut`."""

    server: MemoryServer
    cut: set[str] = attrs.field(factory=set)

    def of(self, machine: str) -> Connect:
        """How this machine connects."""
        return lambda: self.server.connect(lambda: machine not in self.cut)


def refusals(home: Path) -> list[str]:
    """What `two` has audited as refused on the laptop."""
    return [f"{one['what']}: {one['reason']}" for one in entries(home) if one["event"] == "group"]


@attrs.frozen
class Machine:
    """One machine: its hub, its membership, and an agent on it."""

    world: World
    member: Member
    agent: Client

    @property
    def hub(self) -> Hub:
        return self.world.hub

    async def tab(self, tab_id: str, *, group: bool = True, **register: Any) -> SimulatedTab:
        """A tab of a browser here, which the group knows when this returns."""
        wanted = {"grant": GRANT, "url": "https://shop.example/cart", "title": "Cart", "browser": BROWSER, **register}
        tab = await self.world.tab(tab_id, group=group, **wanted)
        await trio.sleep(1)
        return tab

    async def call(self, name: str, tab_id: str, **arguments: Any) -> str:
        """The text of a call's answer."""
        return (await self.hub.call(self.agent, name, {"tabId": tab_id, **arguments})).text


@asynccontextmanager
async def machine(
    connect: Connect,
    home: Path,
    name: str,
    *,
    key: GroupKey = KEY,
    joins: bool = True,
    clock: Callable[[], float] = time.time,
    audit: AuditLog | None = None,
    **settings: Any,
) -> AsyncIterator[Machine]:
    """One machine of the group, once it is in it (`joins`)."""
    home = home / name
    home.mkdir(exist_ok=True)
    async with world(home, audit=audit, **settings) as there:
        with there.hub.client(name="claude", kind="stdio") as agent:
            async with in_group(there.hub, connect, key, name, "memory", clock=clock) as member:
                while joins and member.away is not None:
                    await member.changed.wait()
                yield Machine(there, member, agent)


@asynccontextmanager
async def two(home: Path, **devhost: Any) -> AsyncIterator[tuple[Network, Machine, Machine]]:
    """A machine `laptop`, whose tabs are shared, and one with an agent, `devhost`, whose settings are these."""
    network = Network(MemoryServer())
    async with (
        AuditLog.open(home) as audit,
        machine(network.of("laptop"), home, "laptop", clock=network.server.clock, audit=audit) as laptop,
        machine(network.of("devhost"), home, "devhost", clock=network.server.clock, **devhost) as other,
    ):
        yield network, laptop, other
