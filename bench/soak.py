"""`python -m bench.soak`: many simulated tabs and clients on one hub: its speed, its memory per tab, and whether both
stay the same. The tabs execute commands themselves and cost next to nothing, so that what is measured is the hub."""

from __future__ import annotations

import math
import os
import platform
import random
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from statistics import mean

import attrs
import click
import trio
from rich.console import Console
from rich.table import Table

from bench.hub_process import HubProcess, running_hub
from bench.mcp_client import McpClient, over_websocket
from bench.simulated_tab import SimulatedTab, simulated_tab
from bench.timing import percentile
from kapture.server.connections import allow_open_files
from kapture.settings import Limits

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


@attrs.define
class Load:
    """The results of a load. Times in milliseconds; `wrong` are errors, or answers to another call."""

    seconds: float = 0.0
    times_ms: list[float] = attrs.field(factory=list)
    by_client: list[int] = attrs.field(factory=list)
    by_tab_ms: dict[str, list[float]] = attrs.field(factory=lambda: defaultdict(list))
    wrong: list[str] = attrs.field(factory=list)

    @property
    def commands(self) -> int:
        """The number of answered commands."""
        return len(self.times_ms)

    @property
    def per_second(self) -> float:
        """Commands per second."""
        return self.commands / self.seconds if self.seconds else 0.0


async def run_load(clients: Sequence[McpClient], tabs: Sequence[SimulatedTab], seconds: float, seed: int = 0) -> Load:
    """Each client calls all tabs in an order of its own, repeatedly, for this many seconds."""
    load = Load(by_client=[0] * len(clients))
    began = time.perf_counter()

    async def work(number: int) -> None:
        chosen = random.Random(f"{seed} {number}")
        while True:
            for tab in chosen.sample(tabs, len(tabs)):
                if time.perf_counter() - began >= seconds:
                    return
                await call_once(load, clients[number], number, tab)

    async with trio.open_nursery() as nursery:
        for number in range(len(clients)):
            nursery.start_soon(work, number)
    load.seconds = time.perf_counter() - began
    return load


async def call_once(load: Load, client: McpClient, number: int, tab: SimulatedTab) -> None:
    """Run one command of the client with this number, and record its result."""
    selector = f"#c{number}-{load.by_client[number]}"
    began = time.perf_counter()
    try:
        answer = await client.call("click", {"tabId": tab.tab_id, "selector": selector})
    except RuntimeError as error:
        load.wrong.append(str(error))
        load.by_client[number] += 1
        return
    took_ms = (time.perf_counter() - began) * 1_000
    text = answer.decode()
    if f"{selector}\\" not in text or tab.tab_id not in text:
        load.wrong.append(f"{selector} on {tab.tab_id}: {text[:200]}")
    load.times_ms.append(took_ms)
    load.by_tab_ms[tab.tab_id].append(took_ms)
    load.by_client[number] += 1


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
        """Return the faults of this hub."""
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


async def soak(tabs: int, clients: int, seconds: float) -> Soak:
    """Start a hub, connect this many tabs and clients, and keep all of them busy for this many seconds."""
    with running_hub("--max-tabs", str(tabs), "--max-connections", str(tabs + clients)) as hub:
        async with AsyncExitStack() as stack:
            token = hub.token
            opened = [over_websocket(hub.port, token) for _ in range(clients)]
            callers = [await stack.enter_async_context(client) for client in opened]
            return await _soak(hub, callers, tabs, seconds)


async def _soak(hub: HubProcess, callers: Sequence[McpClient], count: int, seconds: float) -> Soak:
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
            steps.append(await _step(hub, callers, tabs, max(_LEAST_STEP_S, seconds / 20)))
        grown = (hub.resident_bytes() or 0) - before
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


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of y over x, by least squares; 0 for fewer than two points."""
    if len(points) < 2:
        return 0.0
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


def evenness(counts: Sequence[float]) -> float:
    """Jain's fairness index: 1 if all are equal, 1/n if one has everything; NaN for no values.

    R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness", DEC-TR-301, 1984.
    """
    squares = sum(count * count for count in counts)
    return sum(counts) ** 2 / (len(counts) * squares) if squares else math.nan


def _steps(result: Soak) -> Table:
    table = Table(title=f"{result.clients} clients, each with one command at a time ({machine()})")
    for name in ("tabs", "commands/s", "p50 ms", "p99 ms", "hub CPU ms/command"):
        table.add_column(name, justify="right")
    for step in result.steps:
        cpu = "" if step.cpu_ms is None else f"{step.cpu_ms:.2f}"
        table.add_row(f"{step.tabs:,}", f"{step.per_second:,.0f}", f"{step.p50_ms:.1f}", f"{step.p99_ms:.1f}", cpu)
    return table


def _figures(result: Soak) -> Table:
    table = Table(title=f"{result.tabs:,} tabs for {result.seconds:.0f} s", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("commands answered", f"{result.commands:,}")
    table.add_row("commands/s", f"{result.per_second:,.0f}")
    table.add_row("p50, p99", f"{result.p50_ms:.1f} ms, {result.p99_ms:.1f} ms")
    table.add_row("cost of a command, all tabs to fewest", f"{result.flatness:.2f}")
    if result.tab_bytes is not None:
        table.add_row("hub's memory a tab", f"{result.tab_bytes / 1_000:.0f} kB")
    if result.growth_bytes_a_minute is not None:
        table.add_row("growth, second half", f"{result.growth_bytes_a_minute / 1_000:+,.0f} kB a minute")
    table.add_row("evenness between clients (1: all alike)", f"{result.client_evenness:.3f}")
    table.add_row("slowest tenth of tabs to the median tab", f"{result.slow_tabs:.2f}")
    table.add_row("heartbeats, longest apart (10 s)", f"{result.heartbeats:,}, {result.latest_heartbeat_s:.1f} s")
    return table


@click.command()
@click.option("--tabs", default=1_000, show_default=True, type=click.IntRange(2, 10_000), help="Simulated tabs.")
@click.option("--clients", default=20, show_default=True, type=click.IntRange(1, 500), help="MCP clients.")
@click.option("--seconds", default=120.0, show_default=True, type=click.FloatRange(min=1), help="How long.")
def main(tabs: int, clients: int, seconds: float) -> None:
    """Put a hub of its own under load, and report how it copes. Exits with 1 if the hub broke one of its promises."""
    if allow_open_files(Limits(connections=tabs + clients)) is not None:
        raise click.ClickException(f"The system lets no process open files for {tabs} tabs: raise `ulimit -Hn`.")
    result = trio.run(soak, tabs, clients, seconds)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(_steps(result))
    console.print(_figures(result))
    for problem in result.problems():
        console.print(f"[red]✗[/red] {problem}")
    if result.problems():
        raise SystemExit(1)
    console.print("[green]✓[/green] Every answer was its call's own, and no tab lost its connection.")


def machine() -> str:
    """Return a short description of this machine."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
