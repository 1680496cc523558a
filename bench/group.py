"""`python -m bench.group`: hubs that share their tabs through one Redis server, all on this machine: calls a second in
sum, and what a call to a tab of another hub takes longer than one to a tab of the hub's own. The tabs execute commands
themselves and cost next to nothing, so that what is measured is hubs, server, and the client here."""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import click
import trio
from rich.console import Console
from rich.table import Table

from bench.hub_process import HubProcess, cpu_s, free_port, started_hub
from bench.mcp_client import McpClient, over_websocket
from bench.simulated_tab import SimulatedTab, simulated_tab
from bench.soak import machine
from bench.timing import Side, Times, in_turn, percentile
from kapture.group.key import new_key
from tests.support.patience import until
from tests.support.redis_server import RedisProcess, redis_server

_AT_ONCE = 20
_WARM_UP_S = 2.0
_BLOCKS = 4
"""Of each load, in turn, so that other load on the machine affects all alike."""
TARGET_PER_SECOND = 1_500
TARGET_EXTRA_MS = 4.0


@attrs.frozen
class Member:
    """A hub of the group, its clients and its tabs."""

    name: str
    hub: HubProcess
    clients: Sequence[McpClient]
    tabs: Sequence[SimulatedTab]


@attrs.define
class Load:
    """The results of a load. Times in milliseconds, of calls to tabs of the client's own hub and of others; `wrong` are
    errors, or answers to another call."""

    seconds: float = 0.0
    local: Times = attrs.field(factory=Times)
    elsewhere: Times = attrs.field(factory=Times)
    wrong: list[str] = attrs.field(factory=list)
    cpu_s: dict[str, float] = attrs.field(factory=dict)
    """Processor time by process, in seconds."""

    @property
    def per_second(self) -> float:
        """Calls per second."""
        return (len(self.local.all_ms) + len(self.elsewhere.all_ms)) / self.seconds


def joining(url: str, key: Path, name: str) -> tuple[str, ...]:
    """The options of `kapture serve` by which a hub joins."""
    return ("--join", url, "--group-key-file", str(key), "--machine", name)


@contextmanager
def hubs_of_group(folder: Path, server: RedisProcess, count: int, tabs: int) -> Iterator[list[tuple[str, HubProcess]]]:
    """Run so many hubs in a group, for the duration of the block."""
    with ExitStack() as stack:
        key, hubs = folder / "group.key", []
        new_key("bench", key)
        for number in range(count):
            name = f"m{number}"
            home = folder / name
            home.mkdir(mode=0o700)
            limits = ("--max-tabs", str(tabs), "--max-connections", str(tabs + 100))
            arguments = (*joining(server.url, key, name), *limits)
            hubs.append((name, stack.enter_context(started_hub(home, free_port(), arguments))))
        yield hubs


@asynccontextmanager
async def member(name: str, hub: HubProcess, tabs: int, clients: int) -> AsyncIterator[Member]:
    """Connect so many tabs and clients to a hub, for the duration of the block."""
    async with AsyncExitStack() as stack:
        token, key, found = hub.token, hub.key, list[SimulatedTab]()
        room, all_there = trio.Semaphore(_AT_ONCE), trio.Event()

        async def keep(number: int) -> None:
            await room.acquire()
            async with simulated_tab(hub.port, token, f"{name}tab{number:03}", key=key) as tab:
                room.release()
                found.append(tab)
                if len(found) == tabs:
                    all_there.set()
                await trio.sleep_forever()

        nursery = await stack.enter_async_context(trio.open_nursery())
        stack.callback(nursery.cancel_scope.cancel)
        for number in range(tabs):
            nursery.start_soon(keep, number)
        await all_there.wait()
        callers = [await stack.enter_async_context(over_websocket(hub.port, token)) for _ in range(clients)]
        yield Member(name, hub, callers, found)


async def sees(client: McpClient, tabs: int) -> None:
    """Wait until a client is shown so many tabs."""

    async def all_shown() -> bool:
        shown = re.search(rb"tabs\[(\d+)\]", await client.call("list_tabs", {}))
        return shown is not None and int(shown[1]) >= tabs

    await until(all_shown, f"{tabs} tabs in the group")


async def call(client: McpClient, tab: SimulatedTab, selector: str) -> str:
    """One command; what is wrong with its answer, or nothing."""
    try:
        answer = (await client.call("click", {"tabId": tab.tab_id, "selector": selector})).decode()
    except RuntimeError as error:
        return str(error)
    right = f"{selector}\\" in answer and tab.tab_id in answer
    return "" if right else f"{selector} on {tab.tab_id}: {answer[:200]}"


OWN, ALL, OTHERS = "tabs of the client's own hub", "tabs of the whole group", "tabs of other hubs"


def of(which: str, own: Member, members: Sequence[Member]) -> list[Member]:
    """The members whose tabs a client of a member calls."""
    return [one for one in members if which == ALL or (one is own) == (which == OWN)]


async def run_load(members: Sequence[Member], server: RedisProcess, seconds: float, which: str, load: Load) -> None:
    """Each client calls tabs of these hubs, chosen at random, one call at a time. The results are added to a load."""
    spent = _spent(members, server)
    began = time.perf_counter()

    async def work(own: Member, number: int, client: McpClient) -> None:
        chosen = random.Random(f"{own.name} {number}")
        called, count = of(which, own, members), 0
        while (at := time.perf_counter()) - began < seconds:
            there = chosen.choice(called)
            wrong = await call(client, chosen.choice(there.tabs), f"#{own.name}-{number}-{count}")
            if wrong:
                load.wrong.append(wrong)
            (load.local if there is own else load.elsewhere).all_ms.append((time.perf_counter() - at) * 1_000)
            count += 1

    async with trio.open_nursery() as nursery:
        for one in members:
            for number, client in enumerate(one.clients):
                nursery.start_soon(work, one, number, client)
    load.seconds += time.perf_counter() - began
    now = _spent(members, server)
    for name in spent:
        load.cpu_s[name] = load.cpu_s.get(name, 0.0) + now[name] - spent[name]


def _spent(members: Sequence[Member], server: RedisProcess) -> dict[str, float]:
    """Processor time by process so far, in seconds."""
    assert server.process is not None
    hubs = {one.name: one.hub.cpu_s() or 0.0 for one in members}
    return {**hubs, "server": cpu_s(server.process.pid) or 0.0, "client": time.process_time()}


async def latency(own: Member, other: Member, runs: int) -> dict[str, Times]:
    """Times of one call at a time to a tab of the own hub and to one of another, in alternating blocks."""
    client = own.clients[0]

    async def once(tab: SimulatedTab) -> None:
        wrong = await call(client, tab, "#latency")
        assert not wrong, wrong

    sides = [Side("local", partial(once, own.tabs[0])), Side("elsewhere", partial(once, other.tabs[0]))]
    return await in_turn(sides, runs)


async def measure(
    hubs: int, tabs: int, clients: int, seconds: float, runs: int
) -> tuple[dict[str, Load], dict[str, Times]]:
    """Run the group: the loads, in turn, and the times of single calls."""
    with ExitStack() as outer:
        folder = Path(outer.enter_context(TemporaryDirectory(prefix="kapture-bench-")))
        server = outer.enter_context(redis_server(folder))
        running = outer.enter_context(hubs_of_group(folder, server, hubs, tabs))
        async with AsyncExitStack() as stack:
            members = [await stack.enter_async_context(member(name, hub, tabs, clients)) for name, hub in running]
            for one in members:
                await sees(one.clients[0], hubs * tabs)
            times = await latency(members[0], members[1], runs)
            await run_load(members, server, _WARM_UP_S, ALL, Load())
            loads = {which: Load() for which in (OWN, ALL, OTHERS)}
            for _ in range(_BLOCKS):
                for which, load in loads.items():
                    await run_load(members, server, seconds / _BLOCKS, which, load)
            return loads, times


def _table(loads: dict[str, Load], times: dict[str, Times], title: str) -> Table:
    table = Table(title=title)
    for name in ("load", "calls/s", "own hub: p50, p99 ms", "other hub: p50, p99 ms", "CPU ms a call"):
        table.add_column(name, justify="left" if name == "load" else "right")
    for which, load in loads.items():
        calls = load.per_second * load.seconds
        hubs_s = sum(spent for process, spent in load.cpu_s.items() if process not in ("server", "client"))
        cpu = {"hubs": hubs_s, "server": load.cpu_s["server"], "client": load.cpu_s["client"]}
        spent = ", ".join(f"{process} {1_000 * seconds / calls:.2f}" for process, seconds in cpu.items())
        table.add_row(which, f"{load.per_second:,.0f}", _both(load.local), _both(load.elsewhere), spent)
    table.add_row("one call at a time", "", _both(times["local"]), _both(times["elsewhere"]), "")
    return table


def _both(times: Times) -> str:
    return f"{percentile(times.all_ms, 50):.1f}, {percentile(times.all_ms, 99):.1f}" if times.all_ms else ""


@click.command()
@click.option("--hubs", default=3, show_default=True, type=click.IntRange(2, 20), help="Hubs.")
@click.option("--tabs", default=300, show_default=True, type=click.IntRange(1, 5_000), help="Simulated tabs, each hub.")
@click.option("--clients", default=32, show_default=True, type=click.IntRange(1, 100), help="MCP clients, each hub.")
@click.option("--seconds", default=20.0, show_default=True, type=click.FloatRange(min=1), help="Each load.")
@click.option("--runs", default=300, show_default=True, type=click.IntRange(min=1), help="Single calls, each kind.")
def main(hubs: int, tabs: int, clients: int, seconds: float, runs: int) -> None:
    """Measure a group of hubs. Exits with 1 if an answer was an error, or not its call's own."""
    loads, times = trio.run(measure, hubs, tabs, clients, seconds, runs)
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(_table(loads, times, f"{hubs} hubs, {tabs} tabs and {clients} clients each ({machine()})"))
    extra, per_second = times["elsewhere"].median - times["local"].median, loads[ALL].per_second
    for what, value, right in (
        (f"calls/s, {ALL}", f"{per_second:,.0f} (≥ {TARGET_PER_SECOND:,})", per_second >= TARGET_PER_SECOND),
        ("extra median", f"{extra:.2f} ms (≤ {TARGET_EXTRA_MS:g})", extra <= TARGET_EXTRA_MS),
    ):
        console.print(f"{'[green]✓[/green]' if right else '[red]✗[/red]'} {what}: {value}")
    wrong = [one for load in loads.values() for one in load.wrong]
    for one in wrong[:5]:
        console.print(f"[red]✗[/red] {one}")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
