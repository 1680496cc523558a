"""`kapture release`: takes a tab back from the script or client that has it."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
import trio

from kapture.cli.completion import tabs
from kapture.cli.terminal import harmless_line
from kapture.client.connection import ConnectionClosedError, HubAbsentError
from kapture.client.start import connected
from kapture.data_folder import data_folder
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing.ticket import RELEASE_PATH
from kapture.wire import release as wire

_ANSWER_S = 15.0
_DECODER: msgspec.json.Decoder[wire.FromHub] = msgspec.json.Decoder(wire.FromHub)


@click.command("release")
@click.argument("tab", shell_complete=tabs)
def release_command(tab: str) -> None:
    """Take TAB back from the script that holds it (Playwright, Puppeteer, …), or from the client that opened it.

    TAB is an id as `kapture call list_tabs` shows it, with the script that holds it in heldBy, and the client in owner.
    A script goes on without the tab, and gets it again only over a new connection; a client's is everybody's then.
    """
    try:
        released = trio.run(_release, data_folder(), tab)
    except HubAbsentError as error:
        raise click.ClickException("No hub is running, so nobody has a tab.") from error
    except KaptureError as error:
        raise click.ClickException(harmless_line(error.explanation)) from error
    click.echo(harmless_line(f"{released.client}, which had tab {tab} since {released.since}, has lost it."))


async def _release(home: Path, tab: str) -> wire.Released:
    try:
        async with connected(home, path=RELEASE_PATH) as connection:
            with trio.fail_after(_ANSWER_S):
                await connection.send(msgspec.json.encode(wire.Release(tab)))
                answer = _DECODER.decode(await connection.receive())
    except (ConnectionClosedError, trio.TooSlowError) as error:
        raise KaptureError(ErrorCode.NO_BACKEND, "The hub did not answer.", hint="Run `kapture doctor`.") from error
    except msgspec.MsgspecError as error:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The hub's answer cannot be read: {error}.") from error
    if isinstance(answer, wire.Failed):
        raise KaptureError(ErrorCode(answer.code), answer.message, hint=answer.hint)
    return answer
