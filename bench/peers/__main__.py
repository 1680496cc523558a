"""`python -m bench.peers`: operations through Kapture and other MCP servers, compared with raw CDP."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import Any

import attrs
import click
import msgspec
import trio
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.peers.compare import KAPTURE, Bench, Cell, Options, bench, chosen
from bench.soak import machine
from kapture.backends.chromium.find import find_browser
from kapture.cli.terminal import harmless, harmless_line, print_json
from kapture.errors import KaptureError

_TAKEN = ("raw", "kapture")


class _Peer(click.ParamType[tuple[str, list[str]]]):
    """`NAME=COMMAND`, with shell quoting."""

    name = "NAME=COMMAND"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, list[str]]:
        name, _, command = str(value).partition("=")
        try:
            words = shlex.split(command)
        except ValueError as error:
            self.fail(f"{command!r} is not a command: {error}.", param, ctx)
        if not name or not words:
            self.fail(f"{value!r} is not NAME=COMMAND, as in playwright='npx -y @playwright/mcp@latest'.", param, ctx)
        if name in _TAKEN:
            self.fail(f"{name!r} is the name of a built-in competitor: choose another.", param, ctx)
        return name, words


@click.command()
@click.option("--peer", "peers", multiple=True, type=_Peer(), help="Another MCP server over stdio to compare with.")
@click.option("--runs", default=30, show_default=True, type=click.IntRange(1, 10_000), help="Calls per operation.")
@click.option("--only", default="", metavar="TEXT", help="Only operations whose name contains this.")
@click.option("--browser", help="chrome, chromium, edge, brave, or a path. Default: the first that is installed.")
@click.option("--with-extension", is_flag=True, help="Connect to the browser through the Kapture extension.")
@click.option("--timeout", default=30.0, show_default=True, type=click.FloatRange(1, 600), help="Seconds per call.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def main(
    peers: Sequence[tuple[str, list[str]]],
    runs: int,
    only: str,
    browser: str | None,
    with_extension: bool,
    timeout: float,
    as_json: bool,
) -> None:
    """Measure operations through Kapture, compared with raw CDP in the same tab. Exit code 1: Kapture failed at one.

    It starts its own hub and headless browser; yours are not touched. Each --peer is another MCP server with its own
    browser, started by its command in the current folder. It does the same operations with the tools that it lists,
    taking turns with Kapture. The effect of every operation is checked in the page.
    """
    named = [name for name, _ in peers]
    if len(set(named)) < len(named):
        raise click.UsageError("Two peers have the same name.")
    if not chosen(only):
        labels = ", ".join(operation.label for operation in chosen(""))
        raise click.UsageError(f"No operation's name contains {only!r}. There are: {labels}.")

    try:
        launch = ["--browser", find_browser(browser), *(["--with-extension"] if with_extension else [])]
        result = trio.run(bench, dict(peers), Options(runs=runs, only=only, launch=launch, timeout_s=timeout))
    except KaptureError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        print_json(msgspec.json.encode(attrs.asdict(result)).decode())
    else:
        _show(result, runs)
    if result.problems(KAPTURE):
        raise SystemExit(1)


def _show(result: Bench, runs: int) -> None:
    console = Console(width=None if sys.stdout.isatty() else 150, highlight=False)
    console.print(_table(result, runs))
    for mark, style, note in _notes(result):
        console.print(Text.assemble((mark, style), " ", harmless(note)))


def _table(result: Bench, runs: int) -> Table:
    table = Table(title=f"ms of {runs} calls or more: median (p95), ratio to raw CDP; {machine()}")
    table.add_column("operation", no_wrap=True)
    table.add_column("raw CDP", justify="right", no_wrap=True)
    for side in result.sides[1:]:
        table.add_column(harmless_line(side), justify="right")
        table.add_column("ratio", justify="right", no_wrap=True)
    for row in result.rows:
        cells = {cell.side: cell for cell in row.cells}
        shown = [_times(cells[result.sides[0]])]
        for side in result.sides[1:]:
            shown += [_times(cells[side]), _ratio(cells[side])]
        table.add_row(row.label, *shown)
    return table


def _times(cell: Cell) -> str:
    if cell.median_ms is None:
        return "—" if cell.unsupported else "✗"
    return f"{cell.median_ms:.1f} ({cell.p95_ms:.1f})"


def _ratio(cell: Cell) -> str:
    if not cell.effect:
        return ""
    ratio = "" if cell.ratio is None else f"{cell.ratio:.1f} "
    return f"{ratio}{'part' if cell.partial else '✓'}"


def _notes(result: Bench) -> list[tuple[str, str, str]]:
    """The reasons for the marks in the table: mark, style and text."""
    notes = []
    for side in result.sides:
        notes += [("✗", "red", f"{side}, {problem}") for problem in result.problems(side)]
        for row in result.rows:
            for cell in row.cells:
                if cell.side == side and cell.unsupported is not None:
                    notes.append(("—", "yellow", f"{side}, {row.label}: {cell.unsupported}"))
                if cell.side == side and cell.partial:
                    text = (
                        f"{side}, {row.label}: the answer shows a part of the page, in {cell.answer_chars:,} characters"
                    )
                    notes.append(("part", "yellow", text))
    if not any(cell.problem for row in result.rows for cell in row.cells):
        notes.append(("✓", "green", "Every block of calls that was measured had its effect in the page."))
    return notes


if __name__ == "__main__":
    main()
