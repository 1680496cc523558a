"""`kapture install-host` and `kapture uninstall-host`."""

from __future__ import annotations

from pathlib import Path

import click

from kapture.errors import KaptureError
from kapture.pairing.host_manifest import Place, install, places, uninstall
from kapture.private_files import private_folder
from kapture.settings import data_folder

_NAMES = tuple(dict.fromkeys(place.browser for place in places()))


def _chosen(browsers: tuple[str, ...]) -> list[Place]:
    known = places()
    if browsers:
        return [place for place in known if place.browser in browsers]
    return [place for place in known if place.in_use]


@click.command("install-host")
@click.option(
    "--browser",
    "browsers",
    multiple=True,
    type=click.Choice(_NAMES),
    help="Browser to install for. Default: every browser found.",
)
@click.option("--folder", type=click.Path(path_type=Path), help="Another NativeMessagingHosts folder.")
def install_host_command(browsers: tuple[str, ...], folder: Path | None) -> None:
    """Install the native messaging host, which lets the extension find the hub."""
    home = data_folder()
    try:
        home = private_folder(home)
        chosen = [Place(browser=str(folder), folder=folder)] if folder else _chosen(browsers)
        if not chosen:
            raise click.ClickException(
                f"No known browser was found for this user. Name one with --browser ({', '.join(_NAMES)})."
            )
        for place in chosen:
            click.echo(f"{place.browser}: {install(place, home)}")
    except KaptureError as error:
        raise click.ClickException(f"{error.message} {error.hint}".rstrip()) from error
    click.echo("Connect again in the Kapture popup; the browser does not need a restart.")


@click.command("uninstall-host")
@click.option(
    "--browser", "browsers", multiple=True, type=click.Choice(_NAMES), help="Browser to remove it from. Default: all."
)
@click.option("--folder", type=click.Path(path_type=Path), help="The folder given to install-host.")
def uninstall_host_command(browsers: tuple[str, ...], folder: Path | None) -> None:
    """Remove the native messaging host."""
    chosen = [Place(browser=str(folder), folder=folder)] if folder else _chosen(browsers or _NAMES)
    removed = [place.browser for place in chosen if uninstall(place)]
    click.echo(f"Removed from {', '.join(removed)}." if removed else "Nothing was installed.")
