"""Machines of a group in one process: hubs with simulated tabs, and a server in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.group.group import in_group
from kapture.group.key import GroupKey
from kapture.group.member import Member
from kapture.hub import Client, Hub
from kapture.policy.audit import AuditLog
from tests.support.memory_engine import MemoryServer
from tests.unit.hub.simulated import SimulatedTab, World, world
from tests.unit.hub.test_extensions import BROWSER

KEY = GroupKey("team", bytes(range(32)))
GRANT = {"sites": ["shop.example"], "level": "interact"}


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
    server: MemoryServer,
    home: Path,
    name: str,
    *,
    key: GroupKey = KEY,
    reach: Callable[[], bool] = lambda: True,
    audit: AuditLog | None = None,
    **settings: Any,
) -> AsyncIterator[Machine]:
    """One machine of the group of this server."""
    home = home / name
    home.mkdir(exist_ok=True)
    async with world(home, audit=audit, **settings) as there:
        with there.hub.client(name="claude", kind="stdio") as agent:
            async with in_group(there.hub, lambda: server.connect(reach), key, name, "memory") as member:
                await wait_all_tasks_blocked()
                yield Machine(there, member, agent)


@asynccontextmanager
async def two(home: Path, **settings: Any) -> AsyncIterator[tuple[MemoryServer, Machine, Machine]]:
    """A machine `laptop`, whose tabs are shared, and one with an agent, `devhost`."""
    server = MemoryServer()
    async with machine(server, home, "laptop", **settings) as laptop, machine(server, home, "devhost") as devhost:
        yield server, laptop, devhost
