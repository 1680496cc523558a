"""`./dev faults [--faults N] [--seconds S]`: the long form of the tests here, with a table of what came of it."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

import click
import trio
from rich.console import Console
from rich.table import Table

from bench.hub_process import free_port, running_hub, started_hub
from tests.faults import real_browser
from tests.faults.group import faults_at_random
from tests.faults.many_tabs import crash_at_random
from tests.faults.test_clock import clock_jumps, hub_with_a_clock
from tests.faults.test_crowds import come_and_go, idle_without_key
from tests.faults.test_disk import full_disk
from tests.faults.test_hub_ended import kill_under_load, suspend_under_load
from tests.faults.world import Tally, network_faults, newcomers_are_served, world

_OF_A_BROWSER = (
    ("worker stopped", real_browser.stop_worker, 10),
    ("page crashed", real_browser.crash_page, 10),
    ("browser suspended for 2 s", real_browser.suspend_browser(2), 5),
    ("browser suspended for 30 s", real_browser.suspend_browser(30), 1),
    ("hub suspended for 2 s", real_browser.suspend_hub(2), 5),
    ("disk full", real_browser.fill_disk, 3),
    ("data folder read-only", real_browser.make_read_only, 3),
)


@click.command()
@click.option("--faults", default=100_000, show_default=True, help="Of the network, to be injected in all.")
@click.option("--seconds", default=0.0, help="Stop after this time; 0: when all faults were injected.")
@click.option("--seed", default=0, show_default=True, help="Where the seeds begin.")
@click.option("--only", default="", help="Only kinds whose name contains this.")
def main(faults: int, seconds: float, seed: int, only: str) -> None:
    """Inject faults into hubs under load. Ends with 1 if an honest call is lost or something is wedged."""
    table = Table(title="Faults, and what honest tabs and clients noticed of them")
    for name in ("kind", "faults", "honest calls", "lost", "recovery s (median, worst)", "s"):
        table.add_column(name, justify="left" if name == "kind" else "right")
    failed = False
    kinds = {kind: inject for kind, inject in _kinds(faults, seconds, seed).items() if only in kind}
    if not kinds:
        raise click.BadParameter(f"No kind's name contains {only!r}.", param_hint="--only")
    for kind, inject in kinds.items():
        tally, began = Tally(), time.perf_counter()
        problem = ""
        try:
            trio.run(inject, tally)
        except* (AssertionError, trio.TooSlowError) as group:
            problem = str(group.exceptions[0]) or "wedged"
        failed |= bool(problem) or tally.lost > 0
        recovery = f"{median(tally.recovery_s):.2f}, {max(tally.recovery_s):.2f}" if tally.recovery_s else ""
        took = f"{time.perf_counter() - began:.0f}"
        table.add_row(kind, f"{tally.faults.total():,}", f"{tally.calls:,}", str(tally.lost), recovery, took)
        if problem:
            print(f"{kind}: {problem}", file=sys.stderr)
        elif tally.faults:
            print(f"{kind}: {dict(tally.faults)}", file=sys.stderr)
    Console().print(table)
    raise SystemExit(1 if failed else 0)


def _kinds(faults: int, seconds: float, seed: int) -> dict[str, Callable[[Tally], Awaitable[None]]]:
    async def network(tally: Tally) -> None:
        end = trio.current_time() + seconds if seconds else float("inf")
        with running_hub() as hub:
            number = seed
            while tally.faults.total() < faults and trio.current_time() < end:
                async with world(hub, tally) as there:
                    await network_faults(there, seed=number, connections=30, calls=20, rate=0.4)
                number += 1
            await newcomers_are_served(hub, tally, "after")

    async def crowds(tally: Tally) -> None:
        with running_hub() as hub:
            for _ in range(5):
                async with world(hub, tally) as there:
                    await come_and_go(there, connections=1_000, tabs=200)
                    await idle_without_key(there, connections=493)

    async def killed(tally: Tally) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(10):
                await kill_under_load(Path(folder), free_port(), tally)

    async def suspended(tally: Tally) -> None:
        with running_hub() as hub:
            for _ in range(20):
                await suspend_under_load(hub, tally)

    async def disk(tally: Tally) -> None:
        for _ in range(3):
            with running_hub() as hub:
                await full_disk(hub, tally)

    async def clock(tally: Tally) -> None:
        for _ in range(10):
            with tempfile.TemporaryDirectory() as folder:
                home = Path(folder)
                with started_hub(home, free_port(), kapture=hub_with_a_clock(home)) as hub:
                    await clock_jumps(hub, tally)

    async def browser(tally: Tally) -> None:
        with tempfile.TemporaryDirectory() as folder, running_hub() as hub:
            async with real_browser.scene_of(hub, Path(folder), tally) as scene:
                for what, fault, times in _OF_A_BROWSER:
                    for _ in range(times):
                        await real_browser.under_load(scene, what, fault)

    async def browser_killed(tally: Tally) -> None:
        with tempfile.TemporaryDirectory() as folder, running_hub() as hub:
            for _ in range(5):
                await real_browser.kill_browser(hub, Path(folder), tally)

    async def group(tally: Tally) -> None:
        with tempfile.TemporaryDirectory() as folder:
            await faults_at_random(Path(folder), tally, seed=seed, calls=10_000, faults=15)

    async def fifty_tabs(tally: Tally) -> None:
        with tempfile.TemporaryDirectory() as folder, running_hub() as hub:
            await crash_at_random(hub, Path(folder), tally, seed=seed, seconds=seconds or 600)

    return {
        "network: delay, split, duplicate, truncate, stall, reset": network,
        "crowds: connections that come and go, idle ones without the key": crowds,
        "hub killed under load, and started again": killed,
        "hub suspended and resumed": suspended,
        "disk full": disk,
        "clock set forth and back": clock,
        "browser: worker stopped, page crashed, suspended; its hub suspended, without disk": browser,
        "browser killed under load, and started again": browser_killed,
        "group: hub killed, server killed, stopped, out of reach": group,
        "50 tabs: navigated, crashed, asleep, closed at random; worker stopped": fifty_tabs,
    }


if __name__ == "__main__":
    main()
