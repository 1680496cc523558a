"""Many simulated tabs and clients on one hub: its speed, its memory per tab, and whether both stay the same."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from statistics import mean

import attrs
import trio

from kapture.measure.hub_process import HubProcess, running_hub
from kapture.measure.load import Load, run_load
from kapture.measure.mcp_client import McpClient, over_websocket
from kapture.measure.simulated_tab import SimulatedTab, simulated_tab
from kapture.measure.statistics import evenness, percentile, slope

HEARTBEAT_S = 10.0
TAB_BYTES = 100_000
_STEPS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
_SAMPLE_S = 1.0
_WARM_UP_S = 2.0
_LEAST_STEP_S = 1.0
_ENOUGH_TABS = 100
"""The additional tabs from which on the memory of one tab can be calculated."""
_AT_ONCE = 20
"""Tabs that connect at the same time."""

Say = Callable[[str], None]


@attrs.frozen(kw_only=True)
class Step:
    """The same load on fewer tabs. `cpu_ms` is the hub's processor time per command."""

    tabs: int
    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float | None


@attrs.frozen(kw_only=True)
class Sample:
    """The hub at one moment of the long load: its memory, and commands answered since the last sample."""

    at_s: float
    resident_bytes: int | None
    per_second: float


@attrs.frozen(kw_only=True)
class Soak:
    """The results. Times in milliseconds."""

    tabs: int
    clients: int
    seconds: float
    commands: int
    wrong: Sequence[str]
    lost_tabs: int
    per_second: float
    p50_ms: float
    p99_ms: float
    tab_bytes: float | None
    """The hub's memory per additional tab, in bytes; None if there are too few tabs to calculate it."""
    growth_bytes_a_minute: float | None
    """The growth of the hub's memory in the second half of the load, in bytes per minute."""
    client_evenness: float
    slow_tabs: float
    """The mean command time exceeded by one tab in ten, divided by the median tab's."""
    heartbeats: int
    latest_heartbeat_s: float
    """The longest time between two heartbeats of one tab, in seconds; they are sent every 10 s."""
    steps: Sequence[Step]
    samples: Sequence[Sample]

    @property
    def flatness(self) -> float:
        """The cost of a command with all tabs, divided by that with the fewest: the hub's processor time if known,
        otherwise the median time."""
        first, last = self.steps[0], self.steps[-1]
        if first.cpu_ms and last.cpu_ms:
            return last.cpu_ms / first.cpu_ms
        return last.p50_ms / first.p50_ms

    def problems(self) -> list[str]:
        """What this hub did that a hub must not do."""
        found = []
        if self.wrong:
            found.append(f"{len(self.wrong)} answers were errors or not the call's own: {self.wrong[0]}")
        if self.lost_tabs:
            found.append(f"{self.lost_tabs} tabs lost their connection.")
        if self.tab_bytes is not None and self.tab_bytes > TAB_BYTES:
            found.append(f"A tab takes {self.tab_bytes / 1_000:.0f} kB; it should be under {TAB_BYTES / 1_000:.0f} kB.")
        if self.latest_heartbeat_s > 2 * HEARTBEAT_S:
            found.append(f"A heartbeat came after {self.latest_heartbeat_s:.1f} s instead of {HEARTBEAT_S:.0f} s.")
        return found


async def soak(tabs: int, clients: int, seconds: float, say: Say = lambda _: None) -> Soak:
    """Start a hub, connect this many tabs and clients, and keep all of them busy for this many seconds."""
    with running_hub("--max-tabs", str(tabs), "--max-connections", str(tabs + clients)) as hub:
        async with AsyncExitStack() as stack:
            token = hub.token
            opened = [over_websocket(hub.port, token) for _ in range(clients)]
            callers = [await stack.enter_async_context(client) for client in opened]
            return await _soak(hub, callers, tabs, seconds, say)


async def _soak(hub: HubProcess, callers: Sequence[McpClient], count: int, seconds: float, say: Say) -> Soak:
    steps: list[Step] = []
    counts = [*(step for step in _STEPS if step < count), count]
    async with AsyncExitStack() as stack:
        tabs: list[SimulatedTab] = []
        before = 0
        for number in counts:
            tabs += await stack.enter_async_context(_connected(hub, len(tabs), number))
            await run_load(callers, tabs, _WARM_UP_S)  # not measured: effects of connecting and of first use
            if not steps:
                before = hub.resident_bytes() or 0
            say(f"{number} tabs, {len(callers)} clients")
            steps.append(await _step(hub, callers, tabs, max(_LEAST_STEP_S, seconds / 20)))
        grown = (hub.resident_bytes() or 0) - before
        say(f"{count} tabs, {len(callers)} clients, {seconds:g} s")
        for tab in tabs:
            tab.pings.clear()
        load, samples = await _sampled(hub, callers, tabs, seconds)
        gaps = [later - earlier for tab in tabs for earlier, later in pairwise(tab.pings)]
        means = [mean(times) for times in load.by_tab_ms.values()]
        known = hub.resident_bytes() is not None
        return Soak(
            tabs=count,
            clients=len(callers),
            seconds=load.seconds,
            commands=load.commands,
            wrong=load.wrong[:20],
            lost_tabs=sum(tab.lost for tab in tabs),
            per_second=load.per_second,
            p50_ms=percentile(load.times_ms, 50),
            p99_ms=percentile(load.times_ms, 99),
            tab_bytes=grown / (count - counts[0]) if known and count - counts[0] >= _ENOUGH_TABS else None,
            growth_bytes_a_minute=_growth(samples) if known else None,
            client_evenness=evenness(load.by_client),
            slow_tabs=percentile(means, 90) / percentile(means, 50),
            heartbeats=sum(len(tab.pings) for tab in tabs),
            latest_heartbeat_s=max(gaps, default=0.0),
            steps=steps,
            samples=samples,
        )


@asynccontextmanager
async def _connected(hub: HubProcess, first: int, end: int) -> AsyncIterator[list[SimulatedTab]]:
    """Connect the tabs with the numbers from `first` up to `end`, for the duration of the block."""
    found: dict[int, SimulatedTab] = {}
    token, room, all_there, leave = hub.token, trio.Semaphore(_AT_ONCE), trio.Event(), trio.Event()

    async def keep(number: int) -> None:
        await room.acquire()
        async with simulated_tab(hub.port, token, f"soak{number:06}") as tab:
            room.release()
            found[number] = tab
            if len(found) == end - first:
                all_there.set()
            await leave.wait()

    async with trio.open_nursery() as nursery:
        for number in range(first, end):
            nursery.start_soon(keep, number)
        await all_there.wait()
        yield [found[number] for number in sorted(found)]
        leave.set()


async def _step(hub: HubProcess, callers: Sequence[McpClient], tabs: Sequence[SimulatedTab], seconds: float) -> Step:
    before = hub.cpu_s()
    load = await run_load(callers, tabs, seconds)
    after = hub.cpu_s()
    spent = after - before if before is not None and after is not None else None
    return Step(
        tabs=len(tabs),
        per_second=load.per_second,
        p50_ms=percentile(load.times_ms, 50),
        p99_ms=percentile(load.times_ms, 99),
        cpu_ms=spent * 1_000 / load.commands if spent is not None and load.commands else None,
    )


async def _sampled(
    hub: HubProcess, callers: Sequence[McpClient], tabs: Sequence[SimulatedTab], seconds: float
) -> tuple[Load, list[Sample]]:
    samples: list[Sample] = []
    began = last = trio.current_time()
    executed = sum(tab.executed for tab in tabs)

    async def sample() -> None:
        nonlocal last, executed
        while True:
            await trio.sleep(_SAMPLE_S)
            now, total = trio.current_time(), sum(tab.executed for tab in tabs)
            rate = (total - executed) / (now - last)
            samples.append(Sample(at_s=now - began, resident_bytes=hub.resident_bytes(), per_second=rate))
            last, executed = now, total

    async with trio.open_nursery() as nursery:
        nursery.start_soon(sample)
        load = await run_load(callers, tabs, seconds, seed=1)
        nursery.cancel_scope.cancel()
    return load, samples


def _growth(samples: Sequence[Sample]) -> float:
    late = samples[len(samples) // 2 :]
    return 60 * slope([(one.at_s, one.resident_bytes) for one in late if one.resident_bytes is not None])
