"""`python -m bench`: medians beside the floor of the same run. Nothing is asserted: numbers are for people."""

from __future__ import annotations

import json
import sys
import tempfile
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TypeAlias

import click
import trio
from rich.console import Console
from rich.table import Table

from bench.floor import floor_tab
from bench.measure import median_ms
from bench.operations import OPERATIONS, all_at_once
from bench.pages import PAGES
from bench.product import Product, engine_only, own_hub, through_the_stack
from bench.start import bare_interpreter, first_tools_list
from tests.support.direct import direct_browser
from tests.support.site import Site, serving
from tests.support.stack import HubProcess

Products: TypeAlias = AbstractAsyncContextManager[list[Product]]

TABS = 8
PROFILES = ("kapture", "minimal", "chrome", "browser")


@click.command()
@click.option("--engine", is_flag=True, help="Only the page engine, over the browser's own socket.")
@click.option("--runs", default=30, show_default=True, type=click.IntRange(min=1), help="Calls that count, each.")
@click.option("--only", default="", help="Only operations whose name contains this.")
def main(engine: bool, runs: int, only: str) -> None:
    """Measure Kapture through bridge, hub and extension, in headless Chromium."""
    trio.run(_run, engine, runs, only)


async def _run(engine: bool, runs: int, only: str) -> None:
    console = Console(width=None if sys.stdout.isatty() else 130)
    times = Table(title=f"median ms of {runs} calls" + (", engine only" if engine else ""))
    for name in ("operation", "raw CDP", "Kapture", "ratio", "goal", "raw chars", "chars"):
        times.add_column(name, justify="left" if name == "operation" else "right", no_wrap=name == "operation")
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kapture-bench-")))
        site = stack.enter_context(serving(PAGES))
        port = await stack.enter_async_context(direct_browser(folder / "floor"))
        # Each has a browser of its own: only one tab of a window is in front, and only that one is drawn.
        ours = hub = None
        if engine:
            ours = await stack.enter_async_context(direct_browser(folder / "engine"))
        else:
            hub = await stack.enter_async_context(own_hub(folder / "hub"))

        def products(tabs: int) -> Products:
            if ours is not None:
                return engine_only(ours, tabs)
            assert hub is not None
            return through_the_stack(hub, tabs)

        await _operations(times, port, products(1), site, runs, only)
        if not only or only in "tabs":
            await _tabs(times, port, products(TABS), runs)
        if hub is None or only:
            console.print(times)
            return
        starting = await median_ms(lambda: first_tools_list(hub.environment), max(3, runs // 3))
        interpreter = await median_ms(bare_interpreter, max(3, runs // 3))
        _add(times, "start to first tools/list (floor: bare Python)", interpreter, starting, 250)
        console.print(times)
        console.print(await _sizes(hub))


async def _operations(times: Table, port: int, products: Products, site: Site, runs: int, only: str) -> None:
    async with floor_tab(port) as floor, products as [product]:
        for operation in OPERATIONS:
            if only not in operation.what:
                continue
            address = site.url(operation.page)
            await floor.show(address)
            await product("navigate", url=address)
            raw = await median_ms(partial(operation.floor, floor), runs)
            ours = await median_ms(partial(operation.ours, product), runs)
            sizes = (await operation.floor(floor), len(await operation.ours(product))) if operation.sized else ()
            _add(times, operation.what, raw, ours, operation.goal_ms, *sizes)


async def _tabs(times: Table, port: int, products: Products, runs: int) -> None:
    async with AsyncExitStack() as stack:
        floors = [await stack.enter_async_context(floor_tab(port)) for _ in range(TABS)]
        tabs = await stack.enter_async_context(products)
        for what, code in (("evaluate", "1+1"), ("50 ms wait", "new Promise(done => setTimeout(done, 50))")):
            raw = await median_ms(partial(all_at_once, [partial(floor.wait_for, code) for floor in floors]), runs)
            ours = await median_ms(partial(all_at_once, [partial(tab, "evaluate", code=code) for tab in tabs]), runs)
            _add(times, f"{TABS} tabs at once, {what} in each", raw, ours, None)


async def _sizes(hub: HubProcess) -> Table:
    """What a list of tools costs a model, for each profile."""
    sizes = Table(title="tools/list")
    for name in ("profile", "tools", "characters"):
        sizes.add_column(name, justify="left" if name == "profile" else "right")
    for profile in PROFILES:
        tools = (await first_tools_list(hub.environment, "--profile", profile))["tools"]
        text = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
        sizes.add_row(profile, str(len(tools)), f"{len(text):,}")  # type: ignore[arg-type]
    return sizes


def _add(
    times: Table, what: str, raw: float, ours: float, goal: float | None, raw_size: int = 0, size: int = 0
) -> None:
    times.add_row(
        what,
        f"{raw:.1f}",
        f"{ours:.1f}",
        f"{ours / raw:.1f}" if raw else "",
        "" if goal is None else f"< {goal:g}",
        f"{raw_size:,}" if raw_size else "",
        f"{size:,}" if size else "",
    )


if __name__ == "__main__":
    main()
