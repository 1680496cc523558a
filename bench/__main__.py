"""`python -m bench`: ratios to raw CDP in the same browser and tab, in alternating blocks."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path

import click
import trio
from rich.console import Console
from rich.table import Table

from bench import commands_per_second, flood, scripts
from bench.build import HERE, Build, Stack, Tab, open_stack
from bench.console import budgets
from bench.least import through_a_worker
from bench.operations import OPERATIONS, Operation, all_at_once, check
from bench.pages import PAGES
from bench.processor_time import PARTS, costs
from bench.scenarios import STEPS, against_a_batch
from bench.stages import stages
from bench.start import NoHub, bare_interpreter, with_hub
from bench.timing import Side, Times, in_turn
from tests.support.site import Site, serving

TABS = 8
PROFILES = ("kapture", "minimal", "chrome", "browser")
AT_ONCE = (
    ("evaluate", "1+1", False, 8.0),
    ("50 ms wait", "new Promise(done => setTimeout(done, 50))", True, 1.4),
)
MakeTable = Callable[[Stack, Site, int, str], Awaitable[Table]]
FLOODS = (("extension", flood.through_the_extension), ("launched", flood.launched))
"""Ratios are to the same evaluate while the other tab is quiet."""


@click.command()
@click.option("--runs", default=30, show_default=True, type=click.IntRange(min=1), help="Calls that count, each.")
@click.option("--only", default="", help="Only rows whose name contains this.")
@click.option("--beside", type=click.Path(path_type=Path), help="Another checkout, set up, measured in the same run.")
@click.option("--console", "of_console", is_flag=True, help="The Console's budgets instead.")
@click.option("--stages", "by_stage", is_flag=True, help="Where the time of a call goes.")
@click.option("--processor", "by_process", is_flag=True, help="What a call costs each process in processor time.")
def main(runs: int, only: str, beside: Path | None, of_console: bool, by_stage: bool, by_process: bool) -> None:
    """Measure Kapture through bridge, hub and extension, in headless Chromium."""
    if of_console:
        Console().print(trio.run(budgets))
        return
    builds = [Build("", HERE)]
    if beside is not None:
        builds.insert(0, Build(beside.resolve().name, beside.resolve()))
    trio.run(_run, builds, runs, only, _stages if by_stage else _processor_time if by_process else None)


async def _run(builds: Sequence[Build], runs: int, only: str, table: MakeTable | None) -> None:
    console = Console(width=None if sys.stdout.isatty() else 150)
    async with AsyncExitStack() as stack:
        site = stack.enter_context(serving(PAGES))
        stacks = [await stack.enter_async_context(open_stack(build)) for build in builds]
        if table is not None:
            for one in stacks:
                console.print(await table(one, site, runs, only))
            return
        rows = stack.enter_context(_rows(console, runs))
        for operation in OPERATIONS:
            if only in operation.what:
                await _operation(rows, operation, stacks, site, runs)
        if only in "8 tabs at once":
            await _tabs(rows, stacks, runs)
        if only in "start to first tools/list":
            await _starts(rows, stacks, max(5, runs // 3))
        if only in "hub CPU a command":
            for one in stacks:
                cpu_ms = await commands_per_second.cpu_ms(one.hub, 40 * runs)
                rows.add_plain(f"hub CPU a command on a self-executing tab {one.build.name}", cpu_ms, 2.0)
        if only in (what := f"scenario of {len(STEPS)} steps, to the same as a batch"):
            for one in stacks:
                times = await against_a_batch(one, site, runs)
                rows.add(f"{what} {one.build.name}", times["batch"], times["scenario"], 1.5)
        for kind, measure in FLOODS:
            if only in (what := f"evaluate beside a flooding tab, {kind}"):
                for one in stacks:
                    quiet, flooded = await measure(one, runs)
                    rows.add(f"{what} {one.build.name}", quiet, flooded, 3.0)
        if only in "evaluate and click through the CDP endpoint":
            for one in stacks:
                for what, (direct, endpoint) in (await scripts.through_the_endpoint(one, runs)).items():
                    rows.add(f"{what} through the CDP endpoint {one.build.name}", direct, endpoint, 2.0)
        for what, (raw, least) in (await through_a_worker(site.url, runs, only)).items():
            rows.add(what, raw, least, None)
        if not only:
            console.print(await _sizes(stacks[-1]))


class _Rows:
    """The rows of the result table."""

    def __init__(self, console: Console, runs: int) -> None:
        self._console = console
        self._table = Table(title=f"ms of {runs} calls; ratio = median / median of raw CDP in the same tab")
        for name in ("operation", "raw", "p95", "median", "p95", "ratio", "target"):
            self._table.add_column(name, justify="left" if name == "operation" else "right", no_wrap=True)

    def add(self, what: str, raw: Times, ours: Times, target: float | None) -> None:
        ratio = ours.median / raw.median
        self._table.add_row(
            what,
            f"{raw.median:.1f}",
            f"{raw.p95:.1f}",
            f"{ours.median:.1f}",
            f"{ours.p95:.1f}",
            f"{ratio:.2f}",
            "" if target is None else f"{'ok' if ratio <= target else '>'} {target:g}",
        )

    def add_plain(self, what: str, ms: float, target_ms: float | None) -> None:
        verdict = "" if target_ms is None else f"{'ok' if ms <= target_ms else '>'} {target_ms:g} ms"
        self._table.add_row(what, "", "", f"{ms:.2f}", "", "", verdict)

    def show(self) -> None:
        self._console.print(self._table)


@contextmanager
def _rows(console: Console, runs: int) -> Iterator[_Rows]:
    """The table is printed even if a later row fails."""
    rows = _Rows(console, runs)
    try:
        yield rows
    finally:
        rows.show()


async def _operation(rows: _Rows, operation: Operation, stacks: Sequence[Stack], site: Site, runs: int) -> None:
    sides = []
    for stack in stacks:
        tab, build = stack.tab, stack.build.name
        await tab.show(site.url(operation.page))
        await tab.floor.prepare(*operation.points)
        for side, work in (("raw", operation.raw), ("plain", operation.plain)):
            looked = partial(check, operation, tab, side)
            sides.append(Side(f"{side} {build}", partial(work, tab), looked, out_of_step=operation.drawn))
        if operation.agent is not None:
            look = partial(tab.as_agent, "snapshot")
            looked = partial(check, operation, tab, "agent")
            sides.append(Side(f"agent {build}", partial(operation.agent, tab), looked, look))
    times = await in_turn(sides, runs)
    for stack in stacks:
        build = stack.build.name
        raw = times[f"raw {build}"]
        rows.add(f"{operation.what} {build}", raw, times[f"plain {build}"], operation.target)
        if operation.agent is not None:
            rows.add(f"{operation.what}, agent {build}", raw, times[f"agent {build}"], operation.agent_target)


async def _tabs(rows: _Rows, stacks: Sequence[Stack], runs: int) -> None:
    async with AsyncExitStack() as opened:
        tabs: dict[str, list[Tab]] = {}
        for stack in stacks:
            further = await opened.enter_async_context(stack.further_tabs(TABS - 1))
            tabs[stack.build.name] = [stack.tab, *further]
        for what, code, wait, target in AT_ONCE:
            sides = []
            for build, all_tabs in tabs.items():
                raw = [partial(tab.floor.evaluate, code, wait=wait) for tab in all_tabs]
                ours = [partial(tab, "evaluate", code=code) for tab in all_tabs]
                sides += [
                    Side(f"raw {build}", partial(all_at_once, raw)),
                    Side(f"ours {build}", partial(all_at_once, ours)),
                ]
            times = await in_turn(sides, runs)
            for build in tabs:
                name = f"{TABS} tabs at once, {what} {build}"
                rows.add(name, times[f"raw {build}"], times[f"ours {build}"], target)


async def _starts(rows: _Rows, stacks: Sequence[Stack], runs: int) -> None:
    sides = [Side("bare", bare_interpreter)]
    for stack in stacks:
        build = stack.build
        none = NoHub(build)
        sides += [
            Side(f"with {build.name}", partial(with_hub, stack.hub)),
            Side(f"without {build.name}", none.start, none.end),
        ]
    times = await in_turn(sides, runs, block=1)
    rows.add("start of a bare Python", times["bare"], times["bare"], None)
    for stack in stacks:
        name = stack.build.name
        rows.add(f"start to tools/list, with a hub (400 ms) {name}", times["bare"], times[f"with {name}"], None)
        rows.add(f"start to tools/list, no hub (2,000 ms) {name}", times["bare"], times[f"without {name}"], None)


async def _processor_time(stack: Stack, site: Site, runs: int, only: str) -> Table:
    table = Table(title=f"ms of processor time a call, means of {runs} calls {stack.build.name}")
    for name in ("operation", "side", *PARTS, "whole", "ratio"):
        table.add_column(name, justify="left" if name in ("operation", "side") else "right", no_wrap=True)
    raw = 1.0
    for cost in await costs(stack, site.url, runs, only):
        raw = cost.total if cost.side == "raw" else raw
        parts = (f"{cost.ms[part]:.2f}" for part in PARTS)
        table.add_row(cost.what, cost.side, *parts, f"{cost.total:.2f}", f"{cost.total / raw:.2f}")
    return table


async def _stages(stack: Stack, site: Site, runs: int, only: str) -> Table:
    """Hub: outside = before its first message to the worker and after the last; between = between its messages."""
    table = Table(title=f"ms a stage, medians of {runs} calls {stack.build.name}")
    columns = (
        "operation",
        "whole",
        "bridge",
        "hub outside",
        "hub between",
        "worker and beyond",
        "round trips",
        "bytes",
    )
    for name in columns:
        table.add_column(name, justify="left" if name == "operation" else "right", no_wrap=True)
    for row in await stages(stack, site.url, runs, only):
        table.add_row(
            row.what,
            *(f"{ms:.2f}" for ms in (row.whole, row.bridge, row.hub_outside, row.hub_between, row.beyond_worker)),
            f"{row.round_trips:g}",
            f"{row.sent_bytes:,.0f}",
        )
    return table


async def _sizes(stack: Stack) -> Table:
    """The size of `tools/list` in each profile."""
    sizes = Table(title="tools/list")
    for name in ("profile", "tools", "characters"):
        sizes.add_column(name, justify="left" if name == "profile" else "right")
    for profile in PROFILES:
        tools = json.loads(await with_hub(stack.hub, "--profile", profile))["tools"]
        text = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
        sizes.add_row(profile, str(len(tools)), f"{len(text):,}")
    return sizes


if __name__ == "__main__":
    main()
