"""Very many connections: that come and go, and that stay without showing the key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest
import trio

from bench.hub_process import HubProcess, running_hub
from bench.simulated_tab import simulated_tab
from tests.faults.world import Tally, World, newcomers_are_served, world

_AT_ONCE = 20


@pytest.fixture(scope="module")
def hub() -> Iterator[HubProcess]:
    with running_hub() as running:
        yield running


async def come_and_go(there: World, connections: int, tabs: int) -> None:
    """So many connections that say nothing, and so many tabs that register and leave at once."""
    room = trio.CapacityLimiter(_AT_ONCE)

    async def connect() -> None:
        async with room, await trio.open_tcp_stream("127.0.0.1", there.hub.port):
            there.tally.faults["connected and left"] += 1

    async def register(number: int) -> None:
        async with room, simulated_tab(there.hub.port, there.hub.token, f"brief{number}"):
            there.tally.faults["registered and left"] += 1

    async with trio.open_nursery() as nursery:
        for _ in range(connections):
            nursery.start_soon(connect)
        for _ in range(5):
            await there.honest_call()
    async with trio.open_nursery() as nursery:
        for number in range(tabs):
            nursery.start_soon(register, number)
        for _ in range(5):
            await there.honest_call()
    await there.honest_call()


async def idle_without_key(there: World, connections: int) -> None:
    """So many connections of a local program without the key, which stay."""
    async with AsyncExitStack() as stack:
        for _ in range(connections):
            stream = await trio.open_tcp_stream("127.0.0.1", there.hub.port)
            stack.push_async_callback(trio.aclose_forcefully, stream)
            there.tally.faults["idle without the key"] += 1
        await there.honest_call()
        await newcomers_are_served(there.hub, there.tally, "beside")


async def test_a_thousand_connections_that_come_and_go_leave_nothing_behind(hub: HubProcess) -> None:
    tally = Tally()
    async with world(hub, tally) as there:
        await come_and_go(there, connections=1_000, tabs=60)
    await newcomers_are_served(hub, tally, "after")
    assert tally.lost == 0


async def test_hundreds_of_idle_connections_without_the_key_keep_nobody_out(hub: HubProcess) -> None:
    tally = Tally()
    async with world(hub, tally) as there:
        await idle_without_key(there, connections=493)
    assert tally.lost == 0
