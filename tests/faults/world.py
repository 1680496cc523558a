"""A hub under faults: honest tabs and clients, which must not notice, and others behind a faulty proxy."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import attrs
import trio

from bench.hub_process import HubProcess
from bench.simulated_tab import simulated_tab
from tests.faults.counting import CountingClient, counting_client
from tests.faults.proxy import faulty_proxy

PATIENCE_S = 60
"""How long anything may take before it counts as wedged, on a machine that does other things beside."""
_FAULTY_CALL_MS = 500
_NETWORK_ERRORS = (OSError, ValueError, trio.BrokenResourceError, trio.ClosedResourceError)
"""Tabs and clients on a network that cuts, doubles and ends their messages."""
_REGISTRATION_S = 1
_FAULTY_CLIENT_S = 2


@attrs.define
class Tally:
    """A fault of a hub, and its recovery. `recovery_s`: from a fault of the whole hub to the next answer."""

    faults: Counter[str] = attrs.field(factory=Counter)
    calls: int = 0
    lost: int = 0
    """Calls of honest clients on honest tabs without an answer of their own; must stay 0."""
    recovery_s: list[float] = attrs.field(factory=list)


@attrs.frozen
class World:
    """A running hub with an honest tab and an honest client."""

    hub: HubProcess
    client: CountingClient
    tally: Tally

    async def honest_call(self, tab_id: str = "honest") -> None:
        """A command that must be answered once, by its tab."""
        await call_honestly(self.client, tab_id, self.tally)


@asynccontextmanager
async def world(hub: HubProcess, tally: Tally) -> AsyncIterator[World]:
    """Connect the honest ones, for the length of the block; at its end all their calls have one answer each."""
    with trio.fail_after(PATIENCE_S):
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(simulated_tab(hub.port, hub.token, "honest"))
            client = await stack.enter_async_context(counting_client(hub.port, hub.token))
            yield World(hub, client, tally)
            assert not client.lost, "an honest client lost its connection"
            assert client.answered_twice() == []


async def call_honestly(client: CountingClient, tab_id: str, tally: Tally) -> None:
    """As `World.honest_call`, of any client."""
    tally.calls += 1
    selector = f"#call{tally.calls}"
    result = await client.click(tab_id, selector, timeout_ms=PATIENCE_S * 1_000)
    text = "" if result is None else result["content"][0]["text"]
    if f'"{selector}"' not in text or f'"{tab_id}"' not in text:
        tally.lost += 1
        raise AssertionError(f"{selector} on {tab_id} was answered with {text or None!r}")


async def newcomers_are_served(hub: HubProcess, tally: Tally, tab_id: str) -> None:
    """A new tab and a new client get in, and a command runs."""
    with trio.fail_after(PATIENCE_S):
        async with (
            simulated_tab(hub.port, hub.token, tab_id),
            counting_client(hub.port, hub.token) as client,
        ):
            await call_honestly(client, tab_id, tally)


async def recovered(tally: Tally, serve: Callable[[], Awaitable[None]]) -> float:
    """Until the next answer, in seconds."""
    began = time.perf_counter()
    await serve()
    tally.recovery_s.append(time.perf_counter() - began)
    return tally.recovery_s[-1]


async def network_faults(there: World, *, seed: int, connections: int, calls: int, rate: float = 0.1) -> None:
    """So many tabs and as many clients behind a faulty proxy, with so many calls each, beside honest ones."""
    async with faulty_proxy(there.hub.port, seed=seed, rate=rate) as proxy:
        async with trio.open_nursery() as nursery:
            for number in range(connections):
                tab_id = f"faulty{seed}x{number}"
                nursery.start_soon(_faulty_tab, there, proxy.port, tab_id, calls)
                nursery.start_soon(_faulty_client, there, proxy.port, calls)
        there.tally.faults += proxy.injected


async def _faulty_tab(there: World, port: int, tab_id: str, calls: int) -> None:
    """The honest client calls a tab whose network fails: each call gets one answer, a result or an error."""
    in_or_out = trio.Event()

    async def keep() -> None:
        try:
            async with simulated_tab(port, there.hub.token, tab_id, host_port=there.hub.port):
                in_or_out.set()
                await trio.sleep_forever()
        except* _NETWORK_ERRORS:
            in_or_out.set()  # it never got in, or met garbage

    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep)
        with trio.move_on_after(_REGISTRATION_S):  # what stalls stalls for ever
            await in_or_out.wait()
        for number in range(calls):
            result = await there.client.click(tab_id, f"#f{number}", timeout_ms=_FAULTY_CALL_MS)
            assert result is not None, "an honest client lost its connection"
            text = result["content"][0]["text"]
            assert result.get("isError") or tab_id in text, f"another tab answered: {text}"
            await there.honest_call()
            if result.get("isError"):
                break  # it is lost, or stalls
        nursery.cancel_scope.cancel()


async def _faulty_client(there: World, port: int, calls: int) -> None:
    """A client whose network fails calls the honest tab; whatever it gets, the others go on."""
    with trio.move_on_after(_FAULTY_CLIENT_S):
        try:
            async with counting_client(port, there.hub.token, host_port=there.hub.port) as client:
                for number in range(calls):
                    await client.click("honest", f"#g{number}", timeout_ms=_FAULTY_CALL_MS)
        except* _NETWORK_ERRORS:
            pass
