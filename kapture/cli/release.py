"""`kapture release`: takes a tab back from the script or client that has it."""

from __future__ import annotations

import click
import trio

from kapture.cli.completion import tabs
from kapture.cli.running_hub import no_hub
from kapture.cli.terminal import harmless_line
from kapture.client.connection import HubAbsentError
from kapture.client.requests import ask
from kapture.data_folder import data_folder
from kapture.errors import KaptureError
from kapture.pairing.ticket import RELEASE_PATH
from kapture.wire import release as wire


@click.command("release")
@click.argument("tab", shell_complete=tabs)
def release_command(tab: str) -> None:
    """Take TAB back from the script that holds it (Playwright, Puppeteer, …), or from the client that opened it.

    TAB is an id as `kapture call list_tabs` shows it, with the script that holds it in heldBy, and the client in owner.
    A script goes on without the tab, and gets it again only over a new connection; a client's is everybody's then.
    """
    try:
        released = trio.run(ask, data_folder(), RELEASE_PATH, wire.Release(tab), wire.FROM_HUB)
    except HubAbsentError as error:
        raise no_hub("Nobody has a tab.") from error
    except KaptureError as error:
        raise click.ClickException(harmless_line(error.explanation)) from error
    click.echo(harmless_line(f"{released.client}, which had tab {tab} since {released.since}, has lost it."))
