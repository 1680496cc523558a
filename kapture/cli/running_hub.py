"""The running hub of this data folder, for commands that use it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import trio

from kapture.client.connection import HubAbsentError
from kapture.client.start import connected
from kapture.errors import KaptureError
from kapture.pairing import KeyFile, key_file


def proven_hub(home: Path) -> KeyFile:
    """The key file of a hub that has proved on its port that it holds the key; otherwise an error for people.

    A program that answers `/health` with the right process id need not be the hub; one that holds the key is.
    """
    try:
        return trio.run(_prove, home)
    except HubAbsentError as error:
        raise click.ClickException("No hub is running. Start one with `kapture serve`.") from error
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error


async def hub_status(home: Path) -> Mapping[str, Any]:
    """Ask the running hub for its status. `HubAbsentError` if none is running."""
    from kapture.client.mcp_client import open_client

    async with open_client(home, "toolsets=all&structured=1", name="kapture") as client:
        answer = await client.call("kapturemcp_status", {})
    status: Mapping[str, Any] = (answer.get("structuredContent") or {}).get("status", {})
    return status


async def _prove(home: Path) -> KeyFile:
    async with connected(home):
        return key_file.read(home)
