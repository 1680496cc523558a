"""`kapture scenario run`: runs scenarios on one tab or several, with progress, and results for people and CI."""

from __future__ import annotations

import base64
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kapture.cli import completion
from kapture.cli.call.output import error_code, show_failure, unfenced
from kapture.cli.output_file import OutputFile, write_output
from kapture.cli.terminal import harmless_line, print_json, print_text
from kapture.data_folder import data_folder
from kapture.errors import ErrorCode, KaptureError, NoBackend, Unauthorized

if TYPE_CHECKING:
    from kapture.client.mcp_client import McpClient

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NO_HUB = 3
_INVALID = (ErrorCode.SCENARIO_INVALID, ErrorCode.INVALID_PARAMS)

Report = Callable[[str, float, float | None, str], None]
Result = dict[str, Any]


@click.command("run")
@click.argument(
    "words", nargs=-1, required=True, metavar="NAME... [PARAMETER=VALUE]...", shell_complete=completion.scenarios
)
@click.option("--tab", "tab_ids", multiple=True, metavar="ID", shell_complete=completion.tabs, help="Tab to run on.")
@click.option("--parallel", type=click.IntRange(1, 16), default=1, show_default=True, help="How many run at once.")
@click.option("--dry-run", is_flag=True, help="Only show what would run.")
@click.option("--heal", is_flag=True, help="Write back how elements were found that had changed.")
@click.option(
    "--screenshots",
    type=click.Choice(["failure", "steps", "none"]),
    default="failure",
    show_default=True,
    help="When to take screenshots.",
)
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), help="Folder for screenshots. Default: .")
@click.option("--junit", type=OutputFile(), help="Write the result as JUnit XML.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def run_command(
    words: tuple[str, ...],
    tab_ids: tuple[str, ...],
    parallel: int,
    dry_run: bool,
    heal: bool,
    screenshots: str,
    folder: Path | None,
    junit: Path | None,
    as_json: bool,
) -> None:
    """Run scenarios, each after those that it depends on.

    PARAMETER=VALUE is given to every one of them that has this parameter. With --parallel each runs on a tab of its
    own: those of --tab, else new ones, which are closed again.

    Exit codes: 0 all passed, 1 one failed, 2 invalid usage or scenario, 3 no hub could be reached.
    """
    import trio

    names = [word for word in words if "=" not in word]
    if not names:
        raise click.UsageError("Name a scenario.")
    try:
        options = {"dry_run": dry_run, "heal": heal, "screenshots": screenshots}
        jobs = [
            (name, {**options, "name": name, "parameters": given}) for name, given in given_parameters(names, words)
        ]
        with _progress(len(jobs)) as report:
            results: list[Result] = trio.run(_run_all, jobs, tab_ids, min(parallel, len(jobs)), report)
    except KaptureError as error:
        print_text(str(error), err=True)
        raise SystemExit(EXIT_NO_HUB if isinstance(error, NoBackend | Unauthorized) else EXIT_USAGE) from error
    raise SystemExit(show_results(names, results, folder or Path(), junit, as_json=as_json))


def given_parameters(names: Sequence[str], words: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each scenario with the parameters that it has; a parameter that none has is a usage error."""
    from kapture.scenarios.files.storage import ScenarioFolder
    from kapture.scenarios.parameters.parameter_values import from_text

    folder = ScenarioFolder(data_folder())
    scenarios = [folder.load(name) for name in names]
    given = dict(word.split("=", 1) for word in words if "=" in word)
    for key in given:
        if not any(key in scenario.parameters for scenario in scenarios):
            known = ", ".join(dict.fromkeys(one for scenario in scenarios for one in scenario.parameters)) or "none"
            raise click.UsageError(f"There is no parameter {key!r}. Parameters: {known}.")
    for scenario in scenarios:
        own = {key: text for key, text in given.items() if key in scenario.parameters}
        yield scenario.name, {key: from_text(scenario.parameters[key], text) for key, text in own.items()}


async def _run_all(
    jobs: Sequence[tuple[str, dict[str, Any]]], tab_ids: Sequence[str], parallel: int, report: Report
) -> list[Result]:
    """Run the jobs; returns the results in their order."""
    from kapture.client.connection import HubAbsentError
    from kapture.client.mcp_client import open_client

    try:
        async with open_client(data_folder(), "toolsets=all&structured=1", name="kapture scenario") as client:
            return await _run_with(client, jobs, tab_ids, parallel, report)
    except HubAbsentError as error:
        raise KaptureError(
            ErrorCode.NO_BACKEND, "No hub is running.", hint="Start one with `kapture serve` or `kapture launch`."
        ) from error


async def _run_with(
    client: McpClient, jobs: Sequence[tuple[str, dict[str, Any]]], tab_ids: Sequence[str], parallel: int, report: Report
) -> list[Result]:
    import trio

    from kapture.commands.core.params import MAX_TIMEOUT_MS

    results: list[Result] = [{} for _ in jobs]
    tabs: list[str | None] = [*tab_ids] or [None]
    opened: list[str] = []
    waiting = list(enumerate(jobs))[::-1]

    async def work(tab: str | None) -> None:
        while waiting:
            index, (name, arguments) = waiting.pop()

            def on_progress(done: float, total: float | None, message: str, name: str = name) -> None:
                report(name, done, total, message)

            results[index] = await client.call(
                "kapturemcp_run_scenario", {**arguments, **_on(tab), "timeout": MAX_TIMEOUT_MS}, on_progress
            )

    try:
        while len(tabs) < parallel:
            made = await client.call("kapturemcp_tab_new", {"url": "about:blank", **_on(tabs[0])})
            if made.get("isError"):
                raise KaptureError(
                    ErrorCode.INVALID_PARAMS,
                    "No further tab could be opened for --parallel: " + unfenced(made["content"][0]["text"]),
                    hint="Name the tabs with --tab.",
                )
            opened.append(made["structuredContent"]["tabId"])
            if tabs[0] is None:  # with several tabs the first must be named as well
                others = [row for row in await client.tabs() if row["tabId"] != opened[0]]
                tabs[0] = next(row["tabId"] for row in others if row["kind"] not in ("token", "open"))
            tabs.append(opened[-1])
        async with trio.open_nursery() as nursery:
            for tab in tabs[:parallel]:
                nursery.start_soon(work, tab)
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(5):
            for tab in opened:
                await client.call("kapturemcp_tab_close", {"tabId": tab})
    return results


def _on(tab: str | None) -> dict[str, str]:
    return {} if tab is None else {"tabId": tab}


@contextmanager
def _progress(count: int) -> Iterator[Report]:
    """A progress bar for each scenario, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda name, done, total, message: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(name: str, done: float, total: float | None, message: str) -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(harmless_line(name), total=total)
            bars.update(tasks[name], completed=done, total=total, description=harmless_line(message)[:80])

        yield report


def show_results(
    names: Sequence[str], results: Sequence[Result], folder: Path, junit: Path | None, *, as_json: bool
) -> int:
    """Print and write the results of the scenarios; returns the exit code."""
    import msgspec

    from kapture.commands.scenarios import ScenarioRun
    from kapture.scenarios.replay.report import junit as junit_xml

    runs: list[ScenarioRun] = []
    errors: list[tuple[str, str]] = []
    pictures: Counter[str] = Counter()  # a scenario may have run several times
    code = 0
    for name, result in zip(names, results, strict=True):
        if result.get("isError"):
            errors.append((name, unfenced(result["content"][0]["text"])))
            show_failure(result, as_json=False, plain=True)
            code = max(code, EXIT_USAGE if error_code(result) in _INVALID else EXIT_FAILED)
            continue
        run = msgspec.convert(result["structuredContent"], ScenarioRun)
        runs.append(run)
        code = max(code, EXIT_FAILED if run.status == "failed" else 0)
        saved = _save_pictures(result, run.scenario, folder, before=pictures[run.scenario])
        pictures[run.scenario] += len(saved)
        if not as_json:
            print_text(run.text())
            for path in saved:
                print_text(f"Saved: {path}")
    if as_json:
        found = [result["structuredContent"] for result in results if not result.get("isError")]
        print_json(json.dumps(found, ensure_ascii=False, indent=2))
    if junit is not None:
        write_output(junit, junit_xml(runs, errors).encode())
    return code


def _save_pictures(result: Mapping[str, Any], scenario: str, folder: Path, *, before: int) -> list[Path]:
    """Write the pictures of a run. `before`: how many of the scenario's have been written."""
    saved = []
    pictures = [part for part in result["content"] if part["type"] == "image"]
    for number, part in enumerate(pictures, before + 1):
        path = folder / f"{scenario}-{number}.{part['mimeType'].partition('/')[2]}"
        write_output(path, base64.b64decode(part["data"]))
        saved.append(path.resolve())
    return saved
