"""`kapture grants`: lists and revokes the standing grants that the person's browsers keep."""

from __future__ import annotations

import datetime
from typing import Any

import click
import msgspec
import trio

from kapture.cli.running_hub import no_hub
from kapture.cli.terminal import harmless_line
from kapture.client.connection import HubAbsentError
from kapture.client.requests import ask
from kapture.data_folder import data_folder
from kapture.errors import KaptureError
from kapture.pairing.ticket import GRANTS_PATH
from kapture.wire import grants as wire


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
    group = f" and of the group {grant['group']}" if grant["group"] else ""
    client = f"every client of this machine{group}" if grant["client"] is None else f"only {grant['client']}"
    until = "until revoked"
    if grant["until"] is not None:
        end = datetime.datetime.fromtimestamp(grant["until"] / 1_000).astimezone()
        until = f"until {end.isoformat(' ', 'minutes')}"
    return harmless_line(f"{grant['id']}  {grant['level']} on {sites}, {client}, {until}, in {grant['browser']}")


def _ask(request: wire.FromProgram) -> list[dict[str, Any]]:
    try:
        return trio.run(ask, data_folder(), GRANTS_PATH, request, wire.FROM_HUB).grants
    except HubAbsentError as error:
        raise no_hub("Standing grants are in the Kapture options of the browser.") from error
    except KaptureError as error:
        raise click.ClickException(harmless_line(error.explanation)) from error
