"""`kapture cdp`: prints the address for CDP clients."""

from __future__ import annotations

import click
import trio

from kapture.cli.running_hub import hub_status, proven_hub
from kapture.data_folder import data_folder
from kapture.pairing import KeyFile
from kapture.pairing.ticket import CDP, make_ticket


@click.command("cdp")
@click.option("--env", is_flag=True, help='Print it as a shell assignment: eval "$(kapture cdp --env)".')
def cdp_command(env: bool) -> None:
    """Print the address for a CDP client: Playwright, Puppeteer, or anything that drives a browser over a WebSocket.

    The address lets one client in, within a minute. A client that sends headers can connect to /cdp again and again
    with the client token of hub.json.
    """
    home = data_folder()
    address = cdp_address(proven_hub(home))
    tabs = trio.run(hub_status, home)["tabs"]
    if not any((tab["grant"] or {}).get("level") == "full" for tab in tabs):
        click.echo(
            "Warning: no connected tab grants the level `full`, which most of Playwright and Puppeteer needs. "
            "Connect a tab with it, or use `kapture launch`.",
            err=True,
        )
    click.echo(f"export KAPTURE_CDP_URL='{address}'" if env else address)


def cdp_address(hub: KeyFile) -> str:
    """The address, with a new ticket."""
    return f"ws://127.0.0.1:{hub.port}/cdp/{make_ticket(hub.key, CDP)}"
