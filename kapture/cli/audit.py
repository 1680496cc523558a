"""`kapture audit`: shows decisions and calls from the audit log."""

from __future__ import annotations

import datetime
import json
import re
import time
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import click

from kapture.cli.terminal import harmless_line
from kapture.data_folder import data_folder
from kapture.policy.audit import AuditReader

_LOOK_EVERY_S = 0.25
_AGES = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def _since(text: str | None) -> str:
    """Convert `10m`, `2h`, `3d`, or a time in ISO 8601, to the format of entries."""
    if text is None:
        return ""
    try:
        if found := re.fullmatch(r"(\d{1,6})([smhd])", text):
            age = datetime.timedelta(seconds=int(found[1]) * _AGES[found[2]])
            moment = datetime.datetime.now(datetime.UTC) - age
        else:
            moment = datetime.datetime.fromisoformat(text).astimezone(datetime.UTC)
    except (ValueError, OverflowError) as error:  # or the time is before the year 1, or after 9999
        raise click.BadParameter(
            f"{text!r} is neither an age such as 10m, 2h or 3d, nor a time such as 2026-01-31T12:00.",
            param_hint="'--since'",
        ) from error
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _matching(
    found: Iterable[dict[str, Any]], wanted: dict[str, str], since: str, *, denied: bool
) -> Iterator[dict[str, Any]]:
    for entry in found:
        client = entry.get("client") or {}
        facts = {**entry, "client": f"{client.get('name', '')} {client.get('id', '')}"}
        if denied and entry.get("outcome") not in ("denied", "POLICY_DENIED", "UNAUTHORIZED"):
            continue
        if str(entry.get("time", "")) >= since and all(
            text.casefold() in str(facts.get(name, "")).casefold() for name, text in wanted.items()
        ):
            yield entry


_COLUMNS = (("TIME (UTC)", 19), ("EVENT", 8), ("OUTCOME", 14), ("COMMAND", 14), ("TAB", 8), ("SITE AND DETAILS", 0))


def header() -> str:
    """The names of the columns."""
    return " ".join(name.ljust(width) for name, width in _COLUMNS)


def line(entry: dict[str, Any]) -> str:
    """One entry as a line for people."""
    if entry.get("event") == "lost":
        return f"{entry.get('entries')} entries are missing here"
    client = entry.get("client") or {}
    cells = [
        str(entry.get("time", "")).replace("T", " ")[:19],
        str(entry.get("event", "")),
        str(entry.get("outcome", "")),
        str(entry.get("command", "")),
        str(entry.get("tab") or "-"),
        str(entry.get("site") or "-"),
    ]
    parts = [cell.ljust(width) for cell, (_, width) in zip(cells, _COLUMNS, strict=True)]
    if client:
        parts.append(f"by {client.get('name') or client.get('id') or '-'}")
    if "duration_ms" in entry:
        parts.append(f"{entry['duration_ms']:g} ms")
    if entry.get("rule"):
        parts.append(f"[{entry['rule']}]")
    if entry.get("path"):
        parts.append(str(entry["path"]))
    if share := entry.get("share"):
        sites, clients = (", ".join(entry.get(name) or ["any"]) for name in ("sites", "clients"))
        parts.append(f"{share}: up to {entry.get('level')}, sites: {sites}, clients: {clients}")
    if entry.get("what"):
        parts.append(f"{entry['what']} {entry.get('of') or '-'}:")
    if entry.get("reason"):
        parts.append(str(entry["reason"]))
    if entry.get("unrecorded"):
        parts.append(f"(and {entry['unrecorded']} more that are not recorded)")
    if entry.get("asked"):
        parts.append(f"(asked: {entry['asked']})")
    if entry.get("arguments"):
        parts.append(json.dumps(entry["arguments"], ensure_ascii=False))
    return harmless_line(" ".join(parts))


@click.command("audit")
@click.option("--since", help="An age (10m, 2h, 3d) or a time (ISO 8601).")
@click.option("--client", help="Part of the client's name or id.")
@click.option("--tab", help="Id of the tab.")
@click.option("--command", "command_name", help="Part of the command's name.")
@click.option("--site", help="Part of the page's origin.")
@click.option("--outcome", help="ok, allowed, denied, or an error code.")
@click.option("--event", help="command, decision, connect, share, group or rotate-key.")
@click.option("--denied", is_flag=True, help="Only what was denied or refused.")
@click.option(
    "-n",
    "--last",
    default=50,
    show_default=True,
    type=click.IntRange(1),
    help="How many entries, counted from the end.",
)
@click.option("--all", "everything", is_flag=True, help="Every entry that matches.")
@click.option("-f", "--follow", is_flag=True, help="Go on with new entries as they are written, until Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="Print the entries as JSON, one per line.")
def audit_command(
    since: str | None,
    client: str | None,
    tab: str | None,
    command_name: str | None,
    site: str | None,
    outcome: str | None,
    event: str | None,
    denied: bool,
    last: int,
    everything: bool,
    follow: bool,
    as_json: bool,
) -> None:
    """Show what was decided and done, oldest first."""
    given = {"client": client, "tab": tab, "command": command_name, "site": site, "outcome": outcome, "event": event}
    wanted = {name: text for name, text in given.items() if text is not None}
    log = AuditReader(data_folder())
    earliest = _since(since)
    found = deque(_matching(log.new(), wanted, earliest, denied=denied), maxlen=None if everything else last)
    if (found or follow) and not as_json:
        click.secho(header(), bold=True)
    _show(found, as_json=as_json)
    if follow:
        try:
            while True:
                time.sleep(_LOOK_EVERY_S)  # another process writes the file: no event for that exists on every system
                _show(_matching(log.new(), wanted, earliest, denied=denied), as_json=as_json)
        except KeyboardInterrupt:
            return
    if not found and not as_json:
        click.echo("Nothing in the audit log matches.", err=True)


def _show(found: Iterable[dict[str, Any]], *, as_json: bool) -> None:
    for entry in found:
        click.echo(json.dumps(entry) if as_json else line(entry))
