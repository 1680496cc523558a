"""`kapture call`: runs one command from a shell."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
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


def _session_name(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"[\w.-]{1,64}", value):
        raise click.BadParameter("A name has 1 to 64 letters, digits, dots, dashes or underscores.", ctx, param)
    return value


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
@click.option(
    "--session",
    metavar="NAME",
    callback=_session_name,
    help="Keep tab and snapshots from call to call under this name, for half an hour.",
)
@completion.hub_option
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("-o", "--output", metavar="FILE", help="Save the picture, PDF or text to FILE; - is stdout.")
@click.option("--plain", is_flag=True, help="Leave out the marks around text from pages (always on a terminal).")
@click.option("--params", "show_params", is_flag=True, help="Show the command's parameters and exit.")
def call_command(
    name: str | None,
    arguments: tuple[str, ...],
    tab_id: str | None,
    session: str | None,
    hub: str | None,
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
    if name is None:
        _list_commands()
        return
    try:
        if show_params:
            _show_parameters(name)
            return
        call = _Arguments(name.replace("-", "_"), arguments, tab_id, output)
        result = _run(call, session, hub)
    except KaptureError as error:
        usage, no_hub = isinstance(error, _UsageError | UnknownCommand), isinstance(error, NoBackend | Unauthorized)
        _fail(error, as_json=as_json, code=EXIT_USAGE if usage else EXIT_NO_HUB if no_hub else EXIT_FAILED)
    if result.get("isError"):
        show_failure(result, as_json=as_json, plain=plain or (sys.stderr.isatty() and not as_json))
        raise SystemExit(EXIT_USAGE if error_code(result) == ErrorCode.INVALID_PARAMS else EXIT_FAILED)
    show_answer(result, as_json=as_json, output=output, plain=plain or sys.stdout.isatty())


class _UsageError(KaptureError):
    """The command line is wrong; nothing has been called."""


@attrs.frozen
class _Arguments:
    """The words of a command line, which become a call's arguments by the command's schema."""

    name: str
    words: Sequence[str]
    tab_id: str | None
    output: str | None

    def by(self, known: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
        """Return the tool and its arguments. `known` is the hub's `{"name", "schema"}` of the command, which saves the
        time in which all commands are imported."""
        from kapture.cli.call.arguments import parse_arguments, with_absolute_paths, with_format_of

        try:
            about = known or _described(self.name)
            given = parse_arguments(self.words, about["schema"])
            if self.output is not None:
                given = with_format_of(self.output, given, about["schema"])
        except KaptureError as error:
            raise _UsageError(error.code, error.message, hint=error.hint, data=error.data) from error
        if about["name"] == "upload":
            given = with_absolute_paths(given)
        if self.tab_id is not None:
            given["tabId"] = self.tab_id
        return f"kapturemcp_{about['name']}", given


def _command(name: str) -> Any:
    import kapture.commands  # noqa: F401  declares them
    from kapture.commands.core.registry import get_command

    return get_command(name.replace("-", "_"))


def _described(name: str) -> dict[str, Any]:
    from kapture.commands.core.schema import input_schema

    command = _command(name)
    return {"name": command.name, "schema": input_schema(command)}


def _run(call: _Arguments, session: str | None, hub: str | None) -> dict[str, Any]:
    """Make the call through the hub; one is started if none runs."""
    import trio

    from kapture.client.hubs import hub_folder
    from kapture.client.mcp_client import open_client
    from kapture.client.session_proof import SessionProof

    home, query = hub_folder(hub), "toolsets=all&structured=1"
    name, proof = "kapture call", None
    if session is not None:
        query, name = f"{query}&keep=1", f"{name} {session}"
        proof = SessionProof(name)  # with the hub's key: who has only the token does not get what is kept

    async def run() -> dict[str, Any]:
        async with open_client(home, query, name=name, start=True, session=proof) as client:
            tool, given = call.by(await client.command(call.name))
            return await client.call(tool, given, _print_progress)

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


def _show_parameters(name: str) -> None:
    from kapture.commands.core.schema import input_schema

    command = _command(name)
    description, schema = command.description, input_schema(command)
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
