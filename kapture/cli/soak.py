"""`kapture soak`: puts many simulated tabs and clients on a hub of its own, for a given time."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click
import msgspec

from kapture.cli.output_file import OutputFile, write_output
from kapture.cli.signals import ended_like_ctrl_c
from kapture.errors import KaptureError, leaves

if TYPE_CHECKING:
    from rich.table import Table

    from kapture.measure.soak import Soak

_FAILED = 1


@click.command("soak")
@click.option("--tabs", default=1_000, show_default=True, type=click.IntRange(2, 10_000), help="Simulated tabs.")
@click.option("--clients", default=20, show_default=True, type=click.IntRange(1, 500), help="MCP clients.")
@click.option("--seconds", default=60.0, show_default=True, type=click.FloatRange(min=1), help="How long.")
@click.option("--svg", type=OutputFile(), help="Write a chart to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def soak_command(tabs: int, clients: int, seconds: float, svg: Path | None, as_json: bool) -> None:
    """Put a hub of its own under load, and report how it copes.

    Exits with 1 if the hub broke one of its promises.

    The tabs execute commands themselves and cost next to nothing, so that what is measured is the hub. Your own hub
    and browser are not touched.
    """
    import trio

    from kapture.measure.soak import soak
    from kapture.server.open_files import allow_open_files
    from kapture.settings import Limits

    if allow_open_files(Limits(connections=tabs + clients)) is not None:
        raise click.ClickException(f"The system lets no process open files for {tabs} tabs: raise `ulimit -Hn`.")

    def say(what: str) -> None:
        if not as_json and sys.stderr.isatty():
            click.echo(f"{what} …", err=True)

    try:
        with ended_like_ctrl_c():
            result = trio.run(soak, tabs, clients, seconds, say)
    except KaptureError as error:
        raise click.ClickException(str(error)) from error
    except ExceptionGroup as group:  # of the tabs and clients, which run beside each other
        refused = [error for error in leaves(group) if isinstance(error, KaptureError)]
        if not refused:
            raise
        raise click.ClickException(str(refused[0])) from group
    if svg is not None:
        write_output(svg, _chart(result).encode())
    if as_json:
        figures = {**attrs.asdict(result), "flatness": result.flatness, "problems": result.problems()}
        click.echo(msgspec.json.encode(figures).decode())  # null for what cannot be said, as JSON has no NaN
    else:
        _show(result)
    if result.problems():
        raise SystemExit(_FAILED)


def machine() -> str:
    """A short description of the machine on which the figures were measured."""
    import os

    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _show(result: Soak) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(_steps(result))
    console.print(_figures(result))
    for problem in result.problems():
        console.print(f"[red]✗[/red] {problem}")
    if not result.problems():
        console.print("[green]✓[/green] Every answer was its call's own, and no tab lost its connection.")


def _steps(result: Soak) -> Table:
    from rich.table import Table

    table = Table(title=f"{result.clients} clients, each with one command at a time ({machine()})")
    for name in ("tabs", "commands/s", "p50 ms", "p99 ms", "hub CPU ms/command"):
        table.add_column(name, justify="right")
    for step in result.steps:
        cpu = "" if step.cpu_ms is None else f"{step.cpu_ms:.2f}"
        table.add_row(f"{step.tabs:,}", f"{step.per_second:,.0f}", f"{step.p50_ms:.1f}", f"{step.p99_ms:.1f}", cpu)
    return table


def _figures(result: Soak) -> Table:
    from rich.table import Table

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


def _chart(result: Soak) -> str:
    from kapture.measure.chart import Panel, svg

    steps, samples = result.steps, result.samples
    cost = {"p50": [(step.tabs, step.p50_ms) for step in steps], "p99": [(step.tabs, step.p99_ms) for step in steps]}
    panels = [Panel(title="Time of a command, ms", x_label="tabs", lines=cost, log_x=True)]
    if all(step.cpu_ms is not None for step in steps):
        cpu = [(step.tabs, step.cpu_ms or 0.0) for step in steps]
        panels.append(Panel(title="Hub CPU a command, ms", x_label="tabs", lines={"": cpu}, log_x=True))
    rate = [(one.at_s, one.per_second) for one in samples]
    panels.append(Panel(title=f"Commands a second, {result.tabs:,} tabs", x_label="seconds", lines={"": rate}))
    if all(one.resident_bytes is not None for one in samples):
        memory = [(one.at_s, (one.resident_bytes or 0) / 1e6) for one in samples]
        panels.append(Panel(title=f"Hub memory, MB, {result.tabs:,} tabs", x_label="seconds", lines={"": memory}))
    return svg(panels, f"kapture soak --tabs {result.tabs} --clients {result.clients}; {machine()}")
