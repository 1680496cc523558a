"""The running hub of this data folder, for commands that use it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import trio

from kapture.client.connection import HubAbsentError
from kapture.client.hubs import LOCAL, VARIABLE, hub_folder, shared_hubs
from kapture.client.start import connected
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import KeyFile, key_file

_ANSWERS_S = 5.0
_THERE = (
    "A share is for `kapture mcp` and `kapture call`: it gives no raw CDP and no Console, and lets nobody manage the "
    "hub. Run this command on the machine with the browser."
)


def no_hub(advice: str) -> click.ClickException:
    """The error of a command for this machine's hub, where none runs but others may be shared."""
    names = ", ".join(shared_hubs())
    shared = f" Shared with this machine: {names}. {_THERE}" if names else ""
    return click.ClickException(f"No hub is running. {advice}{shared}")


async def hubs_elsewhere() -> list[tuple[str, list[dict[str, Any]] | KaptureError]]:
    """Each hub that is shared with this machine, with the tabs that it shows, or why it cannot be used."""
    folders = shared_hubs()
    names = dict.fromkeys([*folders, os.environ.get(VARIABLE) or LOCAL])
    found: list[tuple[str, list[dict[str, Any]] | KaptureError]] = []
    for name in (name for name in names if name != LOCAL):
        try:
            found.append((name, await _tabs(folders.get(name) or hub_folder(name))))
        except KaptureError as error:
            found.append((name, error))
    return found


async def _tabs(folder: Path) -> list[dict[str, Any]]:
    from kapture.client.mcp_client import open_client

    try:
        with trio.fail_after(_ANSWERS_S):
            async with open_client(folder, "toolsets=all&structured=1", name="kapture") as client:
                answer = await client.call("kapturemcp_list_tabs", {})
    except (HubAbsentError, trio.TooSlowError) as error:
        hint = "See whether `kapture share` or `kapture connect` still runs, and the network."
        raise KaptureError(ErrorCode.NO_BACKEND, "It cannot be reached.", hint=hint) from error
    if answer.get("isError"):
        raise KaptureError(ErrorCode.POLICY_DENIED, answer["content"][0]["text"])
    tabs: list[dict[str, Any]] = answer["structuredContent"]["tabs"]
    return tabs


def proven_hub(home: Path) -> KeyFile:
    """The key file of a hub of this machine that has proved on its port that it holds the key; otherwise an error for
    people.

    A program that answers `/health` with the right process id need not be the hub; one that holds the key is.
    """
    if os.environ.get(VARIABLE, LOCAL) != LOCAL:
        raise click.ClickException(f"{VARIABLE} names a hub that is shared with this machine. {_THERE}")
    try:
        return trio.run(_prove, home)
    except HubAbsentError as error:
        raise no_hub("Start one with `kapture serve`.") from error
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
