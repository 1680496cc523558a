"""`kapture console`: open the Console, signed in."""

from __future__ import annotations

import html
import json
import os
import sys
import webbrowser
from pathlib import Path

import click

from kapture.cli.running_hub import proven_hub
from kapture.data_folder import data_folder
from kapture.errors import KaptureError
from kapture.pairing import KeyFile
from kapture.pairing.ticket import make_ticket
from kapture.private_files import private_folder, write_private_file


@click.command("console")
@click.option("--no-open", is_flag=True, help="Only print the address to open in a browser.")
def console_command(no_open: bool) -> None:
    """Open the Console, signed in by a ticket that is valid once, within a minute.

    The browser opens a private file that leads there, because every user of the machine can see command lines.
    """
    home = data_folder()
    hub = proven_hub(home)
    try:
        path = write_console_page(home, hub)
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error
    reason = "" if no_open else _not_openable() or ("" if webbrowser.open(path.as_uri()) else "no browser was found")
    if no_open or reason:
        why = f"No browser was opened: {reason}. " if reason else ""
        click.echo(f"{why}Open this address in your browser within a minute: {path.as_uri()}")


def _not_openable() -> str:
    """Why no browser can be opened from here, or "". `webbrowser` reports success as soon as a process starts."""
    if not sys.platform.startswith("linux") or "BROWSER" in os.environ:  # the person's own choice, for `webbrowser`
        return ""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return "there is no display (DISPLAY and WAYLAND_DISPLAY are not set)"
    if os.geteuid() == 0:
        return "you are root, and Chrome does not start as root"
    return ""


def write_console_page(home: Path, hub: KeyFile) -> Path:
    """Write the private page that leads to the Console with a new ticket in the URL's fragment; returns its path."""
    url = f"http://127.0.0.1:{hub.port}/console/#ticket={make_ticket(hub.key)}"
    page = (
        '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Kapture</title>'
        f"<script>location.replace({json.dumps(url)})</script>"
        f'<a href="{html.escape(url)}">Open the Console</a>\n'
    )
    path = private_folder(home) / "console.html"
    write_private_file(path, page.encode())
    return path
