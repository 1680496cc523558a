"""`kapture rotate-key`: the kill switch."""

from __future__ import annotations

import os
import signal
import time

import click

from kapture.cli.running_hub import proven_hub
from kapture.data_folder import data_folder
from kapture.errors import KaptureError
from kapture.pairing import key_file

_ROTATION_S = 10
_LOOK_EVERY_S = 0.05


@click.command("rotate-key")
def rotate_key_command() -> None:
    """Make the hub create a new key and drop every connection, of clients and tabs alike."""
    if not hasattr(signal, "SIGHUP"):
        raise click.ClickException("This system has no SIGHUP: stop the hub and start it again, which makes a new key.")
    home = data_folder()
    hub = proven_hub(home)
    os.kill(hub.pid, signal.SIGHUP)
    deadline = time.monotonic() + _ROTATION_S
    while time.monotonic() < deadline:
        try:
            if key_file.read(home).key != hub.key:
                click.echo("The hub has a new key, and every connection is dropped.")
                return
        except KaptureError:
            pass  # between two files
        time.sleep(_LOOK_EVERY_S)
    raise click.ClickException(f"The hub (process {hub.pid}) has not changed its key within {_ROTATION_S} s: stop it.")
