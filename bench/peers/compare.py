"""Measures operations over raw CDP, through Kapture and through other MCP servers, and checks their effects."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import attrs

from bench.floor import Floor
from bench.hub_process import running_hub
from bench.launched_browser import launched_browser
from bench.peers.adapter import NoToolError
from bench.peers.operations import OPERATIONS, PAGES, Operation
from bench.peers.peer import started_peer
from bench.peers.reporting_site import ReportingSite, reporting_site
from bench.peers.sides import Competitor, McpServer, Measured, RawCdp
from bench.raw_cdp import attached, targets
from bench.timing import SideFailedError, Times, in_turn

RAW, KAPTURE = RawCdp.name, "kapture"


@attrs.frozen(kw_only=True)
class Cell:
    """One competitor's results for one operation. Times are None if the measurement was not completed.

    `ratio`: its median divided by that of raw CDP. `problem`: what went wrong. `unsupported`: why it was not measured.
    `partial`: its answer shows only part of the page. `answer_chars`: the length of that answer.
    """

    side: str
    calls: int = 0
    median_ms: float | None = None
    p95_ms: float | None = None
    ratio: float | None = None
    effect: bool = False
    problem: str | None = None
    unsupported: str | None = None
    partial: bool = False
    answer_chars: int = 0


@attrs.frozen(kw_only=True)
class Row:
    """The results of all competitors for one operation."""

    label: str
    cells: Sequence[Cell]


@attrs.frozen(kw_only=True)
class Bench:
    """The results. `sides`: the names of the competitors, raw CDP and Kapture first."""

    sides: Sequence[str]
    rows: Sequence[Row]

    def problems(self, side: str) -> list[str]:
        """The problems of this competitor, each once, with the operations concerned."""
        concerned: dict[str, list[str]] = {}
        for row in self.rows:
            for cell in row.cells:
                if cell.side == side and cell.problem is not None:
                    concerned.setdefault(cell.problem, []).append(row.label)
        return [f"{', '.join(labels)}: {problem}" for problem, labels in concerned.items()]


@attrs.frozen(kw_only=True)
class Options:
    """The measurements to make. `runs`: the minimum of calls per operation; `only`: operations whose label contains
    this text.

    `launch`: options for `kapture launch`; `timeout_s`: the timeout of each call.
    """

    runs: int = 30
    only: str = ""
    launch: Sequence[str] = ()
    timeout_s: float = 30.0


def chosen(only: str) -> list[Operation]:
    """The operations whose label contains this text."""
    return [operation for operation in OPERATIONS if only in operation.label]


async def bench(peers: Mapping[str, Sequence[str]], options: Options) -> Bench:
    """Start a hub, a headless browser and the peers, each by its command, and measure them."""
    unstarted: dict[str, str] = {}
    async with reporting_site(PAGES) as site, AsyncExitStack() as stack:
        competitors: list[Competitor] = [*await stack.enter_async_context(_own(options))]
        for number, (name, command) in enumerate(peers.items()):
            try:
                peer = await stack.enter_async_context(started_peer(command, os.environ))
            except SideFailedError as error:
                unstarted[name] = f"it could not be started: {error}"
            else:
                competitors.append(McpServer(name, peer, f"peer{number}", options.timeout_s))
        rows = [await compare(operation, competitors, site, options.runs) for operation in chosen(options.only)]
    missing = [Cell(side=name, problem=problem) for name, problem in unstarted.items()]
    return Bench(
        sides=[RAW, KAPTURE, *peers],
        rows=[attrs.evolve(row, cells=[*row.cells, *missing]) for row in rows],
    )


async def compare(operation: Operation, competitors: Sequence[Competitor], site: ReportingSite, runs: int) -> Row:
    """Measure one operation, the competitors taking turns."""
    cells: dict[str, Cell] = {}
    measured: dict[str, Measured] = {}
    # Raw CDP first: it shares a tab with Kapture, whose engine refuses input in a new document until it has judged it.
    for competitor in competitors:
        try:
            await competitor.show(operation, site.address(operation.path, competitor.tab))
        except NoToolError as error:
            cells[competitor.name] = Cell(side=competitor.name, unsupported=str(error))
        except SideFailedError as error:
            cells[competitor.name] = Cell(side=competitor.name, problem=str(error))
        else:
            measured[competitor.name] = Measured(competitor, operation, site)
    sides = [measured[competitor.name].side for competitor in competitors if competitor.name in measured]
    times = await in_turn(sides, runs)
    raw = times.get(RAW)
    cells |= {name: _cell(name, times[name], raw, measured[name]) for name in times}
    return Row(label=operation.label, cells=[cells[competitor.name] for competitor in competitors])


def _cell(name: str, times: Times, raw: Times | None, measured: Measured) -> Cell:
    if times.failure is not None:
        return Cell(side=name, calls=len(times.all_ms), problem=times.failure)
    return Cell(
        side=name,
        calls=len(times.all_ms),
        median_ms=times.median,
        p95_ms=times.p95,
        ratio=times.median / raw.median if raw is not None and raw.failure is None else None,
        effect=True,
        partial=measured.partial,
        answer_chars=measured.answer_chars,
    )


@asynccontextmanager
async def _own(options: Options) -> AsyncIterator[Sequence[Competitor]]:
    """Start a hub and a browser; raw CDP and Kapture, which share one tab of it."""
    with running_hub() as hub, launched_browser(hub, options.launch) as browser:
        page = next(target for target in await targets(browser.port) if target["type"] == "page")
        async with (
            attached(browser.port, page["id"]) as tab,
            started_peer([*hub.kapture, "mcp"], hub.environment) as peer,
        ):
            yield RawCdp(Floor(tab), "own", options.timeout_s), McpServer(KAPTURE, peer, "own", options.timeout_s)
