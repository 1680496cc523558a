"""`kapture grants`: lists and revokes the standing grants that the person's browsers keep."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import click
import msgspec
import trio

from kapture.cli.terminal import harmless_line
from kapture.client.connection import ConnectionClosedError, HubAbsentError
from kapture.client.start import connected
from kapture.data_folder import data_folder
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing.ticket import GRANTS_PATH
from kapture.wire import grants as wire
from kapture.wire.release import Failed

_ANSWER_S = 30.0
_DECODER: msgspec.json.Decoder[wire.FromHub] = msgspec.json.Decoder(wire.FromHub)


@click.group("grants", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def grants_command(context: click.Context, as_json: bool) -> None:
    """List the standing grants of the browsers that are connected to the hub.

    By a standing grant, tabs of its sites connect by themselves. It is made in the browser, with the time chosen at
    Connect; nothing here makes or widens one.
    """
    if context.invoked_subcommand is not None:
        return
    grants = _ask(wire.List())
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(grants)).decode())
    elif not grants:
        click.echo("No browser that is connected has a standing grant.")
    else:
        for grant in grants:
            click.echo(_line(grant))


@grants_command.command("revoke")
@click.argument("grant_id", metavar="ID", required=False)
@click.option("--all", "every", is_flag=True, help="Revoke all of them.")
def revoke_command(grant_id: str | None, every: bool) -> None:
    """Revoke the standing grant ID, and end what runs by it."""
    if every == (grant_id is not None):
        raise click.UsageError("Give one ID, as `kapture grants` shows it, or --all.")
    for grant in _ask(wire.Revoke(grant_id)):
        click.echo(f"Revoked {_line(grant)}")


def _line(grant: dict[str, Any]) -> str:
    sites = "any site" if "*" in grant["sites"] else ", ".join(grant["sites"])
    client = "every client" if grant["client"] is None else f"only {grant['client']}"
    until = "until revoked"
    if grant["until"] is not None:
        end = datetime.datetime.fromtimestamp(grant["until"] / 1_000).astimezone()
        until = f"until {end.isoformat(' ', 'minutes')}"
    return harmless_line(f"{grant['id']}  {grant['level']} on {sites}, {client}, {until}, in {grant['browser']}")


def _ask(request: wire.FromProgram) -> list[dict[str, Any]]:
    try:
        return trio.run(_answer, data_folder(), request)
    except HubAbsentError as error:
        hint = "Standing grants are in the Kapture options of the browser."
        raise click.ClickException(f"No hub is running. {hint}") from error
    except KaptureError as error:
        raise click.ClickException(harmless_line(error.explanation)) from error


async def _answer(home: Path, request: wire.FromProgram) -> list[dict[str, Any]]:
    try:
        async with connected(home, path=GRANTS_PATH) as connection:
            with trio.fail_after(_ANSWER_S):
                await connection.send(msgspec.json.encode(request))
                answer = _DECODER.decode(await connection.receive())
    except (ConnectionClosedError, trio.TooSlowError) as error:
        raise KaptureError(ErrorCode.NO_BACKEND, "The hub did not answer.", hint="Run `kapture doctor`.") from error
    except msgspec.MsgspecError as error:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The hub's answer cannot be read: {error}.") from error
    if isinstance(answer, Failed):
        raise KaptureError(ErrorCode(answer.code), answer.message, hint=answer.hint)
    return answer.grants
