"""`kapture install-host`, `uninstall-host`, `rotate-key` and `console`."""

from __future__ import annotations

import html
import json
import os
import signal
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path

import click

from kapture.errors import KaptureError
from kapture.pairing import key_file
from kapture.pairing.host_manifest import Place, install, places, uninstall
from kapture.pairing.key_file import KeyFile
from kapture.pairing.ticket import make_ticket
from kapture.private_files import private_folder, write_private_file
from kapture.settings import data_folder

_ROTATION_S = 10
_LOOK_EVERY_S = 0.05
_NAMES = tuple(dict.fromkeys(place.browser for place in places()))


def _stop(error: KaptureError) -> click.ClickException:
    return click.ClickException(f"{error.message} {error.hint}".rstrip())


def _chosen(browsers: tuple[str, ...]) -> list[Place]:
    known = places()
    if browsers:
        return [place for place in known if place.browser in browsers]
    return [place for place in known if place.in_use]


@click.command("install-host")
@click.option("--browser", "browsers", multiple=True, type=click.Choice(_NAMES), help="Default: every one found.")
@click.option("--folder", type=click.Path(path_type=Path), help="A NativeMessagingHosts folder of your own choice.")
def install_host_command(browsers: tuple[str, ...], folder: Path | None) -> None:
    """Register the native messaging host, so that the extension finds the hub by itself."""
    home = data_folder()
    try:
        home = private_folder(home)
        chosen = [Place(browser=str(folder), folder=folder)] if folder else _chosen(browsers)
        if not chosen:
            raise click.ClickException(
                f"No known browser has been used by you here. Name one with --browser ({', '.join(_NAMES)})."
            )
        for place in chosen:
            click.echo(f"{place.browser}: {install(place, home)}")
    except KaptureError as error:
        raise _stop(error) from error
    click.echo("Connect again in the Kapture popup; the browser need not be restarted.")


@click.command("uninstall-host")
@click.option("--browser", "browsers", multiple=True, type=click.Choice(_NAMES), help="Default: all.")
@click.option("--folder", type=click.Path(path_type=Path), help="The folder given to install-host.")
def uninstall_host_command(browsers: tuple[str, ...], folder: Path | None) -> None:
    """Undo install-host."""
    chosen = [Place(browser=str(folder), folder=folder)] if folder else _chosen(browsers or _NAMES)
    removed = [place.browser for place in chosen if uninstall(place)]
    click.echo(f"Removed from {', '.join(removed)}." if removed else "Nothing was installed.")


@click.command("rotate-key")
def rotate_key_command() -> None:
    """Kill switch: the hub makes a new key and drops every connection, clients and tabs alike."""
    home = data_folder()
    content = _running_hub(home)
    if not hasattr(signal, "SIGHUP"):
        raise click.ClickException("This system has no SIGHUP: end the hub and start it again, that makes a new key.")
    os.kill(content.pid, signal.SIGHUP)
    deadline = time.monotonic() + _ROTATION_S
    while time.monotonic() < deadline:
        try:
            if key_file.read(home).key != content.key:
                click.echo("The hub has a new key, and every connection is dropped.")
                return
        except KaptureError:
            pass  # between two files
        time.sleep(_LOOK_EVERY_S)
    raise click.ClickException(f"The hub (process {content.pid}) has not changed its key in {_ROTATION_S} s. End it.")


@click.command("console")
@click.option("--no-open", is_flag=True, help="Only say which file to open in a browser.")
def console_command(no_open: bool) -> None:
    """Open the Console with a ticket that is good for one use within a minute.

    The browser is given a private file that leads there: a command line can be seen by every user of the machine.
    """
    home = data_folder()
    content = _running_hub(home)
    try:
        path = write_console_page(home, content)
    except KaptureError as error:
        raise _stop(error) from error
    if no_open or not webbrowser.open(path.as_uri()):
        click.echo(f"Open this file in your browser within a minute: {path}")


def write_console_page(home: Path, content: KeyFile) -> Path:
    """The private page that leads to the Console with a fresh ticket in the URL's fragment."""
    url = f"http://127.0.0.1:{content.port}/console/#ticket={make_ticket(content.key)}"
    page = (
        '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Kapture</title>'
        f"<script>location.replace({json.dumps(url)})</script>"
        f'<a href="{html.escape(url)}">Open the Console</a>\n'
    )
    path = private_folder(home) / "console.html"
    write_private_file(path, page.encode())
    return path


def _running_hub(home: Path) -> KeyFile:
    """The key file of a hub that answers on its port under the process id that it wrote; else an exit."""
    try:
        content = key_file.read(home)
    except KaptureError as error:
        raise _stop(error) from error
    try:
        # To this machine, never through a proxy.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://127.0.0.1:{content.port}/health", timeout=5) as answer:
            health = json.loads(answer.read(65_536))
    except (OSError, ValueError, urllib.error.URLError) as error:
        raise click.ClickException(f"No hub answers on port {content.port}. Start one with `kapture serve`.") from error
    if not isinstance(health, dict) or health.get("pid") != content.pid:
        print(f"What answers on port {content.port} is not the hub that wrote the key file.", file=sys.stderr)
        raise SystemExit(1)
    return content
