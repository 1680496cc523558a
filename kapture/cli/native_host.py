"""`kapture install-host` and `kapture uninstall-host`."""

from __future__ import annotations

from pathlib import Path

import click

from kapture.data_folder import data_folder
from kapture.errors import KaptureError
from kapture.pairing.browser_locations import BROWSER_NAMES, BrowserLocation, browser_locations
from kapture.pairing.host_manifest import install, uninstall
from kapture.private_files import private_folder


def _chosen(browsers: tuple[str, ...]) -> list[BrowserLocation]:
    """Every location in use, or those of the named browsers; for one that is not in use its first location."""
    known = browser_locations()
    if not browsers:
        return [location for location in known if location.in_use]
    chosen = []
    for browser in dict.fromkeys(browsers):
        named = [location for location in known if location.browser == browser]
        chosen += [location for location in named if location.in_use] or named[:1]
    return chosen


def _other(folder: Path) -> BrowserLocation:
    return BrowserLocation(browser=str(folder), title=str(folder), folders=(folder,))


@click.command("install-host")
@click.option(
    "--browser",
    "browsers",
    multiple=True,
    type=click.Choice(BROWSER_NAMES),
    help="Browser to install for. Default: every browser found.",
)
@click.option("--folder", type=click.Path(path_type=Path), help="Another NativeMessagingHosts folder.")
def install_host_command(browsers: tuple[str, ...], folder: Path | None) -> None:
    """Install the native messaging host, which lets the extension find the hub."""
    home = data_folder()
    try:
        home = private_folder(home)
        chosen = [_other(folder)] if folder else _chosen(browsers)
        if not chosen:
            raise click.ClickException(
                f"No known browser was found for this user. Name one with --browser ({', '.join(BROWSER_NAMES)})."
            )
        for location in chosen:
            click.echo(f"{location.title}: {install(location, home)}")
            if location.advice:
                click.echo(f"    {location.advice}")
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error
    click.echo("Connect again in the Kapture popup; the browser does not need a restart.")


@click.command("uninstall-host")
@click.option(
    "--browser",
    "browsers",
    multiple=True,
    type=click.Choice(BROWSER_NAMES),
    help="Browser to remove it from. Default: all.",
)
@click.option("--folder", type=click.Path(path_type=Path), help="The folder given to install-host.")
def uninstall_host_command(browsers: tuple[str, ...], folder: Path | None) -> None:
    """Remove the native messaging host."""
    names = browsers or BROWSER_NAMES
    known = [location for location in browser_locations() if location.browser in names]
    removed = [location.title for location in ([_other(folder)] if folder else known) if uninstall(location)]
    click.echo(f"Removed from {', '.join(removed)}." if removed else "Nothing was installed.")
