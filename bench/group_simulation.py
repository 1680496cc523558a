"""`python -m bench.group_simulation`: a group of 1,000 machines and 100,000 tabs, simulated as discrete events in
Trio's time: the real directory, messages and calls of `kapture.group`, over a server in memory that is one queue. What
each request costs that server is measured first, on a real one: the processor time that it uses (`INFO cpu`).

A call takes as long as its tab, the ways to the server and the queue there: hubs have all the processors they want.
"""

from __future__ import annotations

import math
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import click
import trio
from rich.console import Console
from rich.table import Table
from trio.testing import MockClock

from bench.soak import machine
from bench.timing import percentile
from kapture.errors import KaptureError
from kapture.group.directory import Directory, Offer
from kapture.group.engine import Engine, EngineAway, Renewal
from kapture.group.redis_engine import RedisServer
from kapture.settings import GroupServer
from tests.support.memory_engine import MemoryServer
from tests.support.redis_server import RedisProcess, redis_server
from tests.support.simulated_group import KEY, RECORD, FaultyEngine, Machine, SimulatedTab, Way

_SAMPLE = 100
"""Hubs, and tabs of each, on the real server; and how often each request is made there."""
_BATCH = 16
_MESSAGE_BYTES = 600
_POLL_S = 1.0
_ROUND_TRIP_S = 0.001
_ANSWERS_S = 4.0
_TAB_S = 0.02
_HOT_TAB_S = 0.005
_HOT_PAUSE_S = 0.2
_HOT_CALLERS = 100
_JOIN_S = 5.0
_AWAY_S = 2.0
QUIET, CALLS, HOT, CALM, RESTART, END = 8, 20, 35, 45, 50, 80
"""Seconds at which the phases of the simulation begin."""
CHART = Path(__file__).parents[1] / "docs" / "img" / "group-simulation.svg"


# --- a real server ----------------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Costs:
    """What the server needs, in microseconds of one core, or bytes, as measured here."""

    connect_us: float
    join_us: float  # the first renewal, a tab
    renew_us: float  # a later one without changes, a tab
    lookup_us: float
    send_us: float  # a request
    message_us: float  # each further message of the same request
    receive_us: float  # a request
    list_us: float  # a tab of a list of all
    listed_us: float  # the same, at the hub that asks
    tab_bytes: float
    per_second: dict[str, float]
    """Requests a second of `redis-benchmark`, by their kind."""


class _Meter:
    """Measures a real server."""

    def __init__(self, server: RedisProcess) -> None:
        self._server = server

    def info(self, *names: str) -> float:
        """The sum of these figures of `INFO`."""
        lines = self._run("redis-cli", "info", "all").splitlines()
        return sum(float(line.partition(":")[2]) for line in lines if line.partition(":")[0] in names)

    async def us(self, count: int, what: Callable[[int], Awaitable[object]]) -> float:
        """The processor time of the server for one of so many, in microseconds."""
        before = self.info("used_cpu_user", "used_cpu_sys")
        for number in range(count):
            await what(number)
        return (self.info("used_cpu_user", "used_cpu_sys") - before) * 1e6 / count

    def benchmark(self, *arguments: str) -> float:
        """Requests a second, of 50 clients with one at a time each."""
        shown = self._run("redis-benchmark", "-n", "200000", "-c", "50", "--csv", *arguments)
        return float(shown.splitlines()[-1].split('","')[1])

    def _run(self, program: str, *arguments: str) -> str:
        command = [program, "-s", str(self._server.address), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


async def measured() -> Costs:
    """Measure a real server of this machine."""
    with TemporaryDirectory(prefix="kapture-bench-") as folder, redis_server(Path(folder)) as process:
        meter = _Meter(process)
        server = RedisServer(GroupServer(path=str(process.address)), KEY.name, None, None)

        async def connect(_: int) -> None:
            async with server.connect():
                pass

        connect_us = await meter.us(_SAMPLE, connect)
        async with server.connect() as engine:
            offers = [Offer(KEY, f"{number:032x}") for number in range(_SAMPLE)]
            for number, offer in enumerate(offers):
                for tab in range(_SAMPLE):
                    offer.put(f"{number:04}{tab:04}", RECORD)
            empty = meter.info("used_memory")

            async def renew(number: int) -> None:
                offer = offers[number % _SAMPLE]
                await engine.renew(offer.run, offer.facts("machine", "1", time.time()), *offer.changes())

            join_us = await meter.us(_SAMPLE, renew)
            tab_bytes = (meter.info("used_memory") - empty) / _SAMPLE**2
            renew_us = await meter.us(10 * _SAMPLE, renew)
            run, message = offers[0].run, b"m" * _MESSAGE_BYTES

            async def both(_: int) -> None:
                await engine.send([(run, message)])
                await engine.receive(run)

            send_us = await meter.us(20 * _SAMPLE, lambda _: engine.send([(run, message)]))
            batch_us = await meter.us(10 * _SAMPLE, lambda _: engine.send([(run, message)] * _BATCH))
            await _drained(engine, run)
            both_us = await meter.us(20 * _SAMPLE, both)
            began = time.process_time()
            await Directory(KEY, "f" * 32, time.time).tabs(engine)
            listed_us = (time.process_time() - began) * 1e6 / _SAMPLE**2
            return Costs(
                listed_us=listed_us,
                connect_us=connect_us,
                join_us=join_us / _SAMPLE,
                renew_us=renew_us / _SAMPLE,
                lookup_us=await meter.us(20 * _SAMPLE, lambda _: engine.owner("00000000")),
                send_us=send_us,
                message_us=(batch_us - send_us) / (_BATCH - 1),
                receive_us=both_us - send_us,
                list_us=await meter.us(10, lambda _: engine.hubs(tabs=True)) / _SAMPLE**2,
                tab_bytes=tab_bytes,
                per_second={
                    "GET": meter.benchmark("-t", "get"),
                    "XADD": meter.benchmark("XADD", "stream", "MAXLEN", "~", "1000", "*", "m", "m" * _MESSAGE_BYTES),
                },
            )


async def _drained(engine: Engine, run: str) -> None:
    with trio.move_on_after(_POLL_S):
        while True:
            await engine.receive(run)


# --- the simulation ---------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class Core:
    """The server's one core: requests wait for each other. Figures are by the second of the simulation."""

    costs: Costs
    free_at: float = 0.0
    busy_s: Counter[int] = attrs.field(factory=Counter)
    requests: dict[str, Counter[int]] = attrs.field(factory=dict)
    messages: Counter[int] = attrs.field(factory=Counter)
    longest_wait_s: float = 0.0

    async def serve(self, kind: str, us: float) -> None:
        """Wait until the server has answered a request that takes it so long."""
        now = trio.current_time()
        began = max(now, self.free_at)
        self.free_at = began + us / 1e6
        self.requests.setdefault(kind, Counter())[int(began)] += 1
        self.busy_s[int(began)] += us / 1e6  # type: ignore[assignment]  # seconds are no integers
        self.longest_wait_s = max(self.longest_wait_s, self.free_at - now)
        if self.free_at - now > _ANSWERS_S:
            await trio.sleep(_ANSWERS_S)
            raise EngineAway("it does not answer")
        await trio.sleep_until(self.free_at + _ROUND_TRIP_S)

    def mean(self, counted: Mapping[int, float], begin: int, end: int) -> float:
        """The mean a second from one second to another."""
        return sum(counted.get(second, 0) for second in range(begin, end)) / (end - begin)

    def total(self, second: int) -> int:
        """All requests of a second."""
        return sum(counted[second] for counted in self.requests.values())


class TimedEngine(FaultyEngine):
    """A connection to such a server."""

    def __init__(self, core: Core, server: MemoryServer, way: Way) -> None:
        super().__init__(server, way)
        self._core = core

    async def renew(self, run: str, facts: bytes, changed: Mapping[str, bytes], gone: Collection[str]) -> Renewal:
        costs, hub = self._core.costs, self._server.hubs.get(run)
        kept = len(hub.tabs) if hub is not None else 0
        await self._core.serve("renewals", costs.join_us * len(changed) + costs.renew_us * max(1, kept - len(changed)))
        return await super().renew(run, facts, changed, gone)

    async def owner(self, tab_id: str) -> str | None:
        await self._core.serve("look-ups", self._core.costs.lookup_us)
        return await super().owner(tab_id)

    async def facts(self, run: str) -> bytes | None:
        await self._core.serve("look-ups", self._core.costs.lookup_us)
        return await super().facts(run)

    async def live(self) -> frozenset[str]:
        await self._core.serve("look-ups", self._core.costs.lookup_us + len(self._server.hubs) * 0.1)
        return await super().live()

    async def send(self, messages: Sequence[tuple[str, bytes]]) -> Sequence[bool]:
        costs = self._core.costs
        self._core.messages[int(trio.current_time())] += len(messages)
        await self._core.serve("sendings", costs.send_us + costs.message_us * (len(messages) - 1))
        return await super().send(messages)

    async def receive(self, run: str) -> Sequence[bytes]:
        while True:
            found: Sequence[bytes] = ()
            with trio.move_on_after(_POLL_S):
                found = await super().receive(run)
            await self._core.serve("receptions", self._core.costs.receive_us)
            if found:
                return found


@attrs.frozen
class Called:
    """A call. `error`: its code, or nothing."""

    at_s: float
    took_s: float
    error: str
    hot: bool


@attrs.define(eq=False)
class Simulation:
    """The results."""

    core: Core
    calls: list[Called] = attrs.field(factory=list)
    tabs: dict[int, int] = attrs.field(factory=dict)
    """In the directory, by second."""
    whole_at: float = math.nan
    """When after the restart of the server all tabs were in it again, in seconds."""
    bytes: int = 0
    """Of all records and facts."""

    def ms(self, begin: float, end: float, percent: float, *, hot: bool = False) -> float:
        """A percentile of the times of the calls that were made in these seconds and answered, in milliseconds."""
        times = [
            one.took_s * 1_000 for one in self.calls if begin <= one.at_s < end and not one.error and one.hot == hot
        ]
        return percentile(times, percent)


async def simulate(costs: Costs, hubs: int, tabs: int, calls_per_second: float) -> Simulation:
    """Run it. `tabs` of each hub; calls a second of each."""
    core, server, chosen = Core(costs), MemoryServer(), random.Random(0)
    result = Simulation(core)
    ids = [[f"{hub:04}{tab:04}" for tab in range(tabs)] for hub in range(hubs)]
    machines = [
        Machine(f"m{hub}", server, Counter(), engine=lambda server, way: TimedEngine(core, server, way))
        for hub in range(hubs)
    ]

    async def call(own: Machine, tab_id: str, hot: bool) -> None:
        at, error = trio.current_time(), ""
        try:
            await own.call(tab_id, "#")
        except KaptureError as refused:
            error = refused.code.value
        result.calls.append(Called(at, trio.current_time() - at, error, hot))

    async def live(hub: int) -> None:
        own, others = machines[hub], [number for number in range(hubs) if number != hub]
        for tab_id in ids[hub]:
            own.add(SimulatedTab(tab_id, _TAB_S))
        await trio.sleep(chosen.uniform(0, _JOIN_S))
        await core.serve("connections", costs.connect_us)
        await nursery.start(own.serve)
        await trio.sleep_until(CALLS)
        while True:
            await trio.sleep(chosen.expovariate(calls_per_second))
            nursery.start_soon(call, own, chosen.choice(ids[chosen.choice(others)]), False)

    async def call_hot(own: Machine) -> None:
        await trio.sleep_until(HOT)
        while trio.current_time() < CALM:
            await call(own, "hot", hot=True)
            await trio.sleep(_HOT_PAUSE_S)

    async def restart() -> None:
        await trio.sleep_until(RESTART)
        server.go(forget=True)
        for one in machines:
            one.way.cut()
        await trio.sleep(_AWAY_S)
        server.come_back()

    async def look() -> None:
        while True:
            now = trio.current_time()
            listed = sum(len(hub.tabs) - 1 for hub in server.hubs.values() if hub.ends > now)
            result.tabs[int(now)] = listed
            if now > RESTART + _AWAY_S and listed > hubs * tabs and math.isnan(result.whole_at):
                result.whole_at = now - RESTART - _AWAY_S
            await trio.sleep(0.1)

    async with trio.open_nursery() as nursery:
        for hub in range(hubs):
            nursery.start_soon(live, hub)
        machines[0].add(SimulatedTab("hot", _HOT_TAB_S))
        for own in machines[1 : _HOT_CALLERS + 1]:
            nursery.start_soon(call_hot, own)
        nursery.start_soon(restart)
        nursery.start_soon(look)
        await trio.sleep_until(END)
        nursery.cancel_scope.cancel()
    result.bytes = sum(len(raw) for hub in server.hubs.values() for raw in hub.tabs.values())
    return result


# --- what is shown ----------------------------------------------------------------------------------------------------


def phases(result: Simulation) -> Table:
    """The load on the server, by phase."""
    core = result.core
    table = Table(title=f"Simulated. Costs measured on {machine()}")
    for name in ("phase", "renewals/s", "calls/s", "messages/s", "requests/s", "busy", "p50, p99 ms of a call"):
        table.add_column(name, justify="left" if name == "phase" else "right")
    for name, begin, end in (
        ("all join within 5 s", 0, int(_JOIN_S)),
        ("no calls", QUIET, CALLS - 2),
        ("calls", CALLS + 5, HOT),
        ("and a hot tab", HOT, CALM),
        ("server lost, for 2 s", RESTART, RESTART + 2),
        ("server back, empty", RESTART + 2, RESTART + 7),
        ("after that", RESTART + 12, END),
    ):
        span = range(begin, end)
        calls = sum(begin <= one.at_s < end for one in result.calls) / (end - begin)
        busy = core.mean(core.busy_s, begin, end)
        most = max(core.busy_s.get(second, 0) for second in span)
        p50, p99 = result.ms(begin, end, 50), result.ms(begin, end, 99)
        times = "" if math.isnan(p50) else f"{p50:.0f}, {p99:.0f}"
        table.add_row(
            name,
            f"{core.mean(core.requests.get('renewals', {}), begin, end):,.0f}",
            f"{calls:,.0f}",
            f"{core.mean(core.messages, begin, end):,.0f}",
            f"{sum(map(core.total, span)) / (end - begin):,.0f}",
            f"{busy:.0%} (most {most:.0%})",
            times,
        )
    return table


def figures(result: Simulation, costs: Costs, hubs: int, tabs: int) -> Table:
    """The other figures."""
    hot = [one for one in result.calls if one.hot]
    answered = [one for one in hot if not one.error]
    failed = Counter(one.error for one in result.calls if one.at_s >= RESTART and one.error)
    table = Table(title=f"{hubs:,} hubs, {hubs * tabs:,} tabs", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    size = costs.tab_bytes * hubs * tabs
    for what, value in (
        ("server's memory for a tab (used_memory of 10,000)", f"{costs.tab_bytes:,.0f} bytes"),
        ("for all tabs", f"{size / 1e6:,.0f} MB"),
        (
            "list of all tabs: from the server",
            f"{result.bytes / 1e6:,.1f} MB, {costs.list_us * hubs * tabs / 1e3:,.0f} ms",
        ),
        ("list of all tabs: at the hub that asks", f"{costs.listed_us * hubs * tabs / 1e6:,.1f} s"),
        ("hot tab (5 ms a call), answers/s", f"{len(answered) / (CALM - HOT):,.0f}"),
        (
            "hot tab, p50 and p99",
            f"{result.ms(HOT, CALM, 50, hot=True):,.0f} ms, {result.ms(HOT, CALM, 99, hot=True):,.0f} ms",
        ),
        (
            "hot tab, refused",
            ", ".join(f"{code} {n:,}" for code, n in Counter(one.error for one in hot if one.error).items()),
        ),
        ("all tabs are back after the server is", f"{result.whole_at:.1f} s"),
        ("calls from its loss on that failed", ", ".join(f"{code} {n:,}" for code, n in failed.items())),
        ("longest wait for the server", f"{result.core.longest_wait_s * 1e3:,.0f} ms"),
        *((f"redis-benchmark here, {kind}/s", f"{rate:,.0f}") for kind, rate in costs.per_second.items()),
        (
            "a renewal of 100 tabs, server's core",
            f"{costs.renew_us * 100:,.0f} µs (first: {costs.join_us * 100:,.0f} µs)",
        ),
        ("a message sent and received alone", f"{costs.send_us + costs.receive_us:,.0f} µs"),
        ("each further message of a request", f"{costs.message_us:,.1f} µs"),
    ):
        table.add_row(what, value)
    return table


_WIDTH, _LEFT, _RIGHT, _HEIGHT, _GAP = 720, 56, 12, 90, 40
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#57606a}.axis{stroke:#57606a;stroke-opacity:.4}"
    ".line{fill:none;stroke:#0969da;stroke-width:1.6}.area{fill:#0969da;fill-opacity:.15}"
    ".mark{stroke:#cf6a00;stroke-dasharray:3 3}"
    ".note{fill:#b35900}"
    "@media(prefers-color-scheme:dark){text{fill:#9da7b3}.axis{stroke:#9da7b3}.line{stroke:#58a6ff}"
    ".area{fill:#58a6ff}.mark{stroke:#f0883e}.note{fill:#f0883e}}"
)


def chart(result: Simulation) -> str:
    """The picture: requests, load and tabs, by second."""
    core, seconds = result.core, range(END)
    panels: list[tuple[str, list[float], Callable[[float], str]]] = [
        (
            "requests to the server a second",
            [core.total(second) for second in seconds],
            lambda value: f"{value / 1e3:,.0f}k",
        ),
        ("load of its one core", [core.busy_s.get(second, 0.0) for second in seconds], lambda value: f"{value:.0%}"),
        (
            "tabs in the directory",
            [result.tabs.get(second, 0) for second in seconds],
            lambda value: f"{value / 1e3:,.0f}k",
        ),
    ]
    marks = ((0, "all join"), (CALLS, "calls"), (HOT, "hot tab"), (CALM, "calls"), (RESTART, "server lost, back empty"))
    height = len(panels) * (_HEIGHT + _GAP) + 30

    def x(second: float) -> float:
        return round(_LEFT + second * (_WIDTH - _LEFT - _RIGHT) / END, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        "<title>A simulated group of 1,000 hubs and 100,000 tabs: the load on its server over 80 s</title>",
        f"<style>{_STYLE}</style>",
    ]
    for second, name in marks:
        parts.append(f'<line class="mark" x1="{x(second)}" x2="{x(second)}" y1="18" y2="{height - 30}"/>')
        parts.append(f'<text class="note" x="{x(second) + 4}" y="14">{name}</text>')
    for number, (name, values, shown) in enumerate(panels):
        top = 40 + number * (_HEIGHT + _GAP)
        most = max(values) or 1
        points = [
            f"{x(second + 0.5)},{round(top + _HEIGHT * (1 - value / most), 1)}" for second, value in enumerate(values)
        ]
        bottom = top + _HEIGHT
        parts += [
            f'<text x="{_LEFT + 6}" y="{top - 6}">{name}</text>',
            f'<path class="area" d="M{x(0.5)},{bottom} L{" ".join(points)} {x(END - 0.5)},{bottom}Z"/>',
            f'<path class="line" d="M{" ".join(points)}"/>',
            f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{bottom}" y2="{bottom}"/>',
            f'<text x="{_LEFT - 6}" y="{top + 9}" text-anchor="end">{shown(most)}</text>',
            f'<text x="{_LEFT - 6}" y="{bottom}" text-anchor="end">0</text>',
        ]
    for second in range(0, END + 1, 20):
        parts.append(f'<text x="{x(second)}" y="{height - 10}" text-anchor="middle">{second} s</text>')
    return "\n".join([*parts, "</svg>", ""])


@click.command()
@click.option("--hubs", default=1_000, show_default=True, type=click.IntRange(_HOT_CALLERS + 1), help="Machines.")
@click.option("--tabs", default=100, show_default=True, type=click.IntRange(1), help="Tabs, each machine.")
@click.option("--calls", default=1.0, show_default=True, help="Calls a second, each machine.")
@click.option("--picture", is_flag=True, help="Write docs/img/group-simulation.svg anew.")
def main(hubs: int, tabs: int, calls: float, picture: bool) -> None:
    """Simulate a large group."""
    costs = trio.run(measured)
    result = trio.run(simulate, costs, hubs, tabs, calls, clock=MockClock(autojump_threshold=0))
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print(phases(result))
    console.print(figures(result, costs, hubs, tabs))
    if picture:
        CHART.write_text(chart(result))


if __name__ == "__main__":
    main()
