"""`kapture scenario export`: a scenario as Kapture's own file, as a Playwright test, or as a `batch` call."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from kapture.cli.output_file import OutputFile, write_output
from kapture.cli.scenario.names import scenario_argument, scenario_errors
from kapture.cli.scenario.run import given_parameters
from kapture.data_folder import data_folder


@click.command("export")
@scenario_argument
@click.argument("words", nargs=-1, metavar="[PARAMETER=VALUE]...")
@click.option(
    "--as",
    "kind",
    type=click.Choice(["json", "playwright", "batch"]),
    default="json",
    show_default=True,
    help="The scenario's file, a test for pytest and Playwright, or the arguments of a batch call.",
)
@click.option("-o", "--output", type=OutputFile(), help="File to write. Default: stdout.")
def export_command(name: str, words: tuple[str, ...], kind: str, output: Path | None) -> None:
    """Write a scenario to a file. Secrets are not in it.

    PARAMETER=VALUE is a default in a Playwright test, and filled in in a batch call.
    """
    if wrong := [word for word in words if "=" not in word]:
        raise click.UsageError(f"{wrong[0]!r} is not PARAMETER=VALUE.")
    if words and kind == "json":
        raise click.UsageError("PARAMETER=VALUE needs --as playwright or --as batch.")
    with scenario_errors():
        content = _content(name, words, kind)
    if output is None:
        sys.stdout.buffer.write(content)
        return
    write_output(output, content)


def _content(name: str, words: tuple[str, ...], kind: str) -> bytes:
    from kapture.scenarios.dependencies import resolve
    from kapture.scenarios.export.export_batch import batch_arguments
    from kapture.scenarios.export.export_playwright import playwright_test
    from kapture.scenarios.files.decode import encode
    from kapture.scenarios.files.storage import ScenarioFolder

    folder = ScenarioFolder(data_folder())
    scenario = folder.load(name)
    if kind == "json":
        return encode(scenario)
    resolved = resolve(scenario, folder.load)
    ((_, given),) = given_parameters([name], words)
    if kind == "playwright":
        return playwright_test(scenario, resolved, given).encode()
    return json.dumps(batch_arguments(scenario, resolved, given), ensure_ascii=False, indent=2).encode() + b"\n"
