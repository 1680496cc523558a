"""`kapture rotate-key`: the kill switch."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click
import trio

from kapture.cli.running_hub import no_hub
from kapture.client.connection import ConnectionClosedError, HubAbsentError
from kapture.client.start import connected
from kapture.data_folder import data_folder
from kapture.errors import KaptureError
from kapture.pairing import key_file
from kapture.pairing.ticket import ROTATE_KEY_PATH

_ROTATION_S = 10


@click.command("rotate-key")
def rotate_key_command() -> None:
    """Make the hub create a new key and drop every connection, of clients and tabs alike."""
    try:
        trio.run(rotate, data_folder())
    except HubAbsentError as error:
        raise no_hub("So no key is in use: each start of a hub makes a new one. `kapture serve` starts one.") from error
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error
    click.echo("The hub has a new key, and every connection is dropped.")


async def rotate(home: Path) -> None:
    """Have the hub, once it has proved that it holds the key, make a new one; returns when it has."""
    if not key_file.exists(home):
        raise HubAbsentError
    before = key_file.read(home)
    problem = "Stop it."
    async with connected(home, path=ROTATE_KEY_PATH) as connection:
        with trio.move_on_after(_ROTATION_S), suppress(ConnectionClosedError):  # its end is the answer
            while True:
                problem = (await connection.receive()).decode()
    if key_file.read(home).key == before.key:
        raise click.ClickException(f"The hub (process {before.pid}) has not changed its key. {problem}")
