"""`kapture call`: runs one command from a shell."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from kapture.cli import completion
from kapture.cli.call.output import error_code, show_answer, show_failure
from kapture.cli.terminal import harmless_line, print_json, print_text
from kapture.errors import ErrorCode, KaptureError, NoBackend, Unauthorized, UnknownCommand

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NO_HUB = 3


class _Call(click.Command):
    """Says how a command's parameter is written, if one is given as an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line."""
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            parameter = _parameter_meant(error.option_name, words)
            if parameter is None:
                raise
            written = f"Write a command's parameters without dashes: {parameter}=VALUE."
            raise click.UsageError(f"No such option {error.option_name!r}. {written}", ctx) from error


def _parameter_meant(option: str, words: Sequence[str]) -> str | None:
    """The parameter that this option would be, of the command that one of these words names."""
    from kapture.commands.core.schema import input_schema

    wanted = option.lstrip("-").replace("-", "_").casefold()
    for word in words:
        try:
            parameters = input_schema(_command(word))["properties"]
        except UnknownCommand:
            continue
        return next((name for name in parameters if name.casefold() == wanted), None)
    return None


@click.command("call", cls=_Call)
@click.argument("name", required=False, shell_complete=completion.commands)
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option(
    "--tab",
    "tab_id",
    metavar="ID",
    shell_complete=completion.tabs,
    help="Id of the tab to run it on (see `kapture call list_tabs`). Default: the only connected tab.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("-o", "--output", metavar="FILE", help="Save the picture, PDF or text to FILE; - is stdout.")
@click.option("--plain", is_flag=True, help="Leave out the marks around text from pages (always on a terminal).")
@click.option("--params", "show_params", is_flag=True, help="Show the command's parameters and exit.")
def call_command(
    name: str | None,
    arguments: tuple[str, ...],
    tab_id: str | None,
    as_json: bool,
    output: str | None,
    plain: bool,
    show_params: bool,
) -> None:
    """Run one command and print its answer.

    NAME is a command (without NAME all are listed); its parameters follow as KEY=VALUE, with JSON for objects and
    lists: `kapture call click target='{"role": "button", "name": "Save"}'`. KEY:=JSON takes the value as JSON in any
    case. A ref stands for itself: `kapture call click e12`. --tab is needed only while several tabs are connected.

    Exit codes: 0 success, 1 the command failed, 2 invalid usage, 3 no hub could be reached.
    """
    from kapture.cli.call.arguments import parse_arguments, with_absolute_paths, with_format_of
    from kapture.commands.core.schema import input_schema

    if name is None:
        _list_commands()
        return
    try:
        command = _command(name)
        if show_params:
            _show_parameters(command.description, input_schema(command))
            return
        given = parse_arguments(arguments, input_schema(command))
        if output is not None:
            given = with_format_of(output, given, input_schema(command))
        if command.name == "upload":
            given = with_absolute_paths(given)
    except KaptureError as error:
        _fail(error, as_json=as_json, code=EXIT_USAGE)
    if tab_id is not None:
        given["tabId"] = tab_id
    try:
        result = _run(command.name, given)
    except KaptureError as error:
        no_hub = isinstance(error, NoBackend | Unauthorized)
        _fail(error, as_json=as_json, code=EXIT_NO_HUB if no_hub else EXIT_FAILED)
    if result.get("isError"):
        show_failure(result, as_json=as_json, plain=plain or (sys.stderr.isatty() and not as_json))
        raise SystemExit(EXIT_USAGE if error_code(result) == ErrorCode.INVALID_PARAMS else EXIT_FAILED)
    show_answer(result, as_json=as_json, output=output, plain=plain or sys.stdout.isatty())


def _command(name: str) -> Any:
    import kapture.commands  # noqa: F401  declares them
    from kapture.commands.core.registry import get_command

    return get_command(name.replace("-", "_"))


def _run(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    import trio

    from kapture.client.connection import HubAbsentError
    from kapture.client.mcp_client import open_client
    from kapture.data_folder import data_folder

    async def run() -> dict[str, Any]:
        try:
            async with open_client(data_folder(), "toolsets=all&structured=1", name="kapture call") as client:
                return await client.call(f"kapturemcp_{name}", arguments, _print_progress)
        except HubAbsentError as error:
            raise KaptureError(
                ErrorCode.NO_BACKEND,
                "No hub is running.",
                hint="Start one with `kapture serve`, or with its own browser: `kapture launch`.",
                data={"state": "no_hub"},
            ) from error

    return trio.run(run)


def _print_progress(done: float, total: float | None, message: str) -> None:
    """Show what is waited for as a line of its own; progress as one line that is updated, on a terminal only."""
    to_terminal = sys.stderr.isatty()
    clear = "\r\x1b[K" if to_terminal else ""
    if message.startswith("Waiting for "):
        click.echo(f"{clear}{harmless_line(message)}", err=True)
    elif to_terminal:
        share = f" {done:g}/{total:g}" if total else ""
        click.echo(f"{clear}{harmless_line(message)}{share}", nl=False, err=True)


def _fail(error: KaptureError, *, as_json: bool, code: int) -> Any:
    if as_json:
        print_json(json.dumps({"error": {"code": error.code, "message": str(error), "data": error.data}}))
    else:
        print_text(str(error), err=True)
    raise SystemExit(code)


def _list_commands() -> None:
    import kapture.commands  # noqa: F401  declares them
    from kapture.commands.core.registry import all_commands

    formatter = click.HelpFormatter(max_width=110)
    rows = [(command.name, command.description.splitlines()[0]) for command in all_commands()]
    formatter.write_dl(rows)
    click.echo(formatter.getvalue(), nl=False)
    click.echo("\n`kapture call NAME --params` shows a command's parameters.")


def _show_parameters(description: str, schema: Mapping[str, Any]) -> None:
    required = set(schema.get("required", ()))
    either = [name for part in schema.get("anyOf", ()) for name in part["required"]]
    formatter = click.HelpFormatter(max_width=110)
    rows = []
    for name, part in schema["properties"].items():
        kinds = part.get("enum") or part.get("type") or "any"
        kind = "|".join(map(str, kinds)) if isinstance(kinds, list) else kinds
        note = (
            " (required)"
            if name in required
            else f" (required: {' or '.join(either)})"
            if name in either
            else f" (default: {json.dumps(part['default'])})"
            if "default" in part
            else ""
        )
        rows.append((f"{name}={kind}", f"{part.get('description', '')}{note}"))
    click.echo(description + "\n")
    formatter.write_dl(rows)
    click.echo(formatter.getvalue(), nl=False)
