"""`kapture status` and `kapture stop`: see the running hub of this data folder, and end it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import trio

from kapture.cli.running_hub import hub_status, hubs_elsewhere
from kapture.cli.terminal import harmless_line
from kapture.client.connection import ConnectionClosedError, HubAbsentError
from kapture.client.start import connected
from kapture.data_folder import data_folder
from kapture.errors import KaptureError
from kapture.pairing import key_file

_NO_HUB = "No hub is running. MCP clients start it when they need it."
_END_S = 10.0


@click.command("status")
def status_command() -> None:
    """Show the running hub: its policy, connected tabs and clients. `kapture call status --json` shows everything."""
    try:
        lines = list(_lines(trio.run(hub_status, data_folder())))
        shared = list(_elsewhere())
    except HubAbsentError:
        lines, shared = [_NO_HUB], list(_elsewhere())
        if not shared:
            click.echo(_NO_HUB)
            raise SystemExit(1) from None
    except KaptureError as error:
        raise click.ClickException(harmless_line(error.explanation)) from error
    for line in (*lines, *shared):
        click.echo(harmless_line(line))


def _elsewhere() -> Iterator[str]:
    """The hubs that are shared with this machine."""
    for name, found in trio.run(hubs_elsewhere):
        if isinstance(found, KaptureError):
            yield f"Shared with this machine, {name}: {found.explanation}"
            continue
        yield f"Shared with this machine, {name}: {len(found)} tab{'' if len(found) == 1 else 's'}"
        for tab in found:
            yield f"  {tab['tabId']}  {tab['url']}"


def _lines(status: Mapping[str, Any]) -> Iterator[str]:
    hub, policy = status["hub"], status["policy"]
    yield f"Hub {hub['version']}, process {hub['pid']}, port {hub['port']}, since {hub['startedAt']}"
    safe = ", safe mode: everything is limited to read" if policy["safeMode"] else ""
    file = f"{policy['file']} (SHA-256 {policy['sha256']})" if policy["file"] else "no file"
    yield f"Policy: {file}{safe}"
    tabs = status["tabs"]
    yield f"Tabs: {len(tabs)}" if tabs else "Tabs: none. Press Connect in the extension's popup."
    for tab in tabs:
        grant = tab["grant"]
        granted = f"{grant['level']} on {', '.join(grant['sites'])}" if grant else "no grant"
        doing = f", running {tab['running']}" if tab["running"] else ""
        for_group = "; for the group" if tab.get("forGroup") else ""
        yield f"  {tab['tabId']}  {tab['url']}  ({granted}; {tab['browser']}{for_group}{doing})"
    for share in status["shares"]:
        sites = f" on {', '.join(share['sites'])}" if share["sites"] else ""
        only = f", for {', '.join(share['only'])} alone" if share["only"] else ""
        yield f"Shared with {share['name']}: up to {share['level']}{sites}{only}"
    if group := status.get("group"):
        yield from _group_lines(group)
    clients = [client for client in status["clients"] if client["kind"] != "cli"]
    yield f"Clients: {len(clients) or 'none'}"
    for client in clients:
        yield f"  {client['name']} {client['version']}, {client['calls']} calls"
    if asked := status["questions"]:
        yield f"Questions that wait for an answer in the extension: {len(asked)}"


def _group_lines(group: Mapping[str, Any]) -> Iterator[str]:
    yield f"Group {group['name']}, as {group['machine']}, through {group['server']}: {group_state(group)}"
    for other in group["machines"]:
        yield f"  {other['machine']}  {other['tabs']} tab{'' if other['tabs'] == 1 else 's'}"


def group_state(group: Mapping[str, Any]) -> str:
    """How it is with the hub's group, in a few words."""
    if group["away"]:
        return f"no connection to its server since {group['since']}: {group['away']}"
    ahead = group["clockDiffersS"]
    clock = f"; this machine's clock is {abs(ahead):g} s {'ahead' if ahead > 0 else 'behind'}" if ahead else ""
    taken = (
        f"; not shared, because another machine has their ids: {', '.join(group['taken'])}" if group["taken"] else ""
    )
    counts = sum(group["refused"].values())
    refused = f"; {counts} refused (`kapture audit --event group` says what)" if counts else ""
    same = "; another machine has its name" if _has_namesake(group) else ""
    offered = f"{group['offered']} of its tabs {'is' if group['offered'] == 1 else 'are'} for the group"
    return f"{offered}{same}{clock}{taken}{refused}"


def group_fix(group: Mapping[str, Any]) -> str:
    """What to do about the state of the hub's group; "" for nothing."""
    if group["away"]:
        return (
            f"See that the server at {group['server']} runs and lets this machine in: join, group_password_file, "
            f"group_ca_file, and the server's users (docs/REACH.md)."
        )
    if group["clockDiffersS"]:
        return "Set the clocks of the machines: beyond 30 s they refuse what comes from one another."
    if _has_namesake(group):
        return "Give one of them another name: `kapture serve --machine NAME`, or the setting machine."
    if group["refused"].get("hub"):
        return "A hub at the server has another key. If it is one of yours, copy the group's key file to it again."
    return ""


def _has_namesake(group: Mapping[str, Any]) -> bool:
    return any(other["machine"] == group["machine"] for other in group["machines"])


@click.command("stop")
def stop_command() -> None:
    """Stop the hub, and the browsers that it launched. The next call of an MCP client starts a hub again."""
    try:
        pid = trio.run(stop, data_folder())
    except HubAbsentError:
        click.echo(_NO_HUB)
        return
    except KaptureError as error:
        raise click.ClickException(harmless_line(error.explanation)) from error
    click.echo(f"The hub (process {pid}) has stopped. The next call of an MCP client starts it again.")


async def stop(home: Path) -> int:
    """End the hub that has proved that it holds the key; return its process id once it has closed its connections."""
    async with connected(home) as connection:
        pid = key_file.read(home).pid
        try:
            os.kill(pid, signal.SIGTERM)
        except OSError as error:
            reason = error.strerror or error
            raise click.ClickException(f"The hub (process {pid}) cannot be stopped: {reason}.") from error
        with trio.move_on_after(_END_S):
            try:
                while True:
                    await connection.receive()
            except ConnectionClosedError:
                return pid
    raise click.ClickException(f"The hub (process {pid}) still runs after {_END_S:g} s. End that process by hand.")
