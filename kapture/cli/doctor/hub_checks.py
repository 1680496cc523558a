"""Checks of the running hub and of the browsers connected to it, for `kapture doctor`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from kapture import __version__
from kapture.cli.doctor.finding import Finding, failed
from kapture.errors import KaptureError, PolicyDenied
from kapture.settings import Settings


async def running_hub(settings: Settings) -> tuple[Finding, Mapping[str, Any] | None]:
    """Whether a hub is running, and its status if it can be asked."""
    from kapture.cli.health import hub_on
    from kapture.cli.running_hub import hub_status
    from kapture.client.connection import HubAbsentError

    try:
        status = await hub_status(settings.home)
    except HubAbsentError:
        other = await hub_on(settings.port)
        return await _no_hub(settings.port, other.version if other is not None else None), None
    except KaptureError as error:
        return failed("hub", error), None
    return answered(status), status


def answered(status: Mapping[str, Any]) -> Finding:
    """Return the findings on the hub itself in its status."""
    about = status.get("hub", {})
    tabs = len(status.get("tabs", ()))
    counted = f"{tabs} tab{'' if tabs == 1 else 's'}"
    detail = f"version {about.get('version')} on port {about.get('port')}, {counted}"
    if about.get("version") != __version__:
        fix = f"This is Kapture {__version__}. Run `kapture setup`, or `kapture stop`: it starts again when needed."
        return Finding(what="hub", state="bad", detail=detail, fix=fix)
    return Finding(what="hub", state="ok", detail=detail)


async def shared_hubs() -> list[Finding]:
    """Whether the hubs that are shared with this machine answer."""
    from kapture.cli.running_hub import hubs_elsewhere

    return [_shared_hub(f"shared hub {name}", found) for name, found in await hubs_elsewhere()]


def _shared_hub(what: str, found: Sequence[object] | KaptureError) -> Finding:
    if isinstance(found, PolicyDenied):  # it is for other clients than this one
        return Finding(what=what, state="note", detail=found.message)
    if isinstance(found, KaptureError):
        return failed(what, found)
    return Finding(what=what, state="ok", detail=f"{len(found)} tab{'' if len(found) == 1 else 's'}")


async def _no_hub(port: int, other: str | None) -> Finding:
    import trio

    if other is not None:
        return Finding(
            what="hub",
            state="bad",
            detail=f"a Kapture hub ({other}) with another data folder uses port {port}",
            fix="Set KAPTURE_HOME to that hub's data folder, or stop that hub.",
        )
    try:
        listeners = await trio.open_tcp_listeners(port, host="127.0.0.1")
    except OSError as error:
        return Finding(
            what="hub",
            state="bad",
            detail=f"port {port} is taken by another program ({error.strerror})",
            fix="Stop that program, or set KAPTURE_PORT to another port for the hub and its clients.",
        )
    for listener in listeners:
        await listener.aclose()
    return Finding(
        what="hub",
        state="ok",
        detail=f"not running; port {port} is free",
        fix="MCP clients start it when they need it; you can start it with `kapture serve`.",
    )


def written(status: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Return the running hub's recent failures to write to its data folder."""
    failures = {"auditFailure": "audit log", "dataFolderFailure": "files of the hub"}
    for name, what in failures.items():
        if failure := (status or {}).get(name):
            yield Finding(what=what, state="bad", detail=failure)


def group(settings: Settings, status: Mapping[str, Any] | None) -> Iterator[Finding]:
    """How it is with the group that the running hub is in, or with that of the settings."""
    from kapture.cli.hub import group_fix, group_state
    from kapture.group.group import configured

    if (found := (status or {}).get("group")) is None:
        if (wanted := configured(settings)) is not None:
            detail = (
                f"{wanted[0].name}: no hub runs that could be in it"
                if status is None
                else (f"{wanted[0].name}: the running hub is not in it, because it was started with other settings")
            )
            fix = "" if status is None else "Run `kapture stop`: the next call starts it with the settings of now."
            yield Finding(what="group", state="note" if fix else "ok", detail=detail, fix=fix)
        return
    detail = f"{found['name']}, as {found['machine']}: {group_state(found)}"
    bad, fix = found["away"] or found["clockDiffersS"], group_fix(found)
    yield Finding(what="group", state="bad" if bad else "note" if fix else "ok", detail=detail, fix=fix)


def changed_policy(settings: Settings, status: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Whether the policy file has changed since the running hub read it, which it does when it starts."""
    from kapture.policy.policy import FILE_NAME

    hub = (status or {}).get("hub", {})
    if status is None or "startedAt" not in hub:
        return
    used = status.get("policy", {}).get("file")
    file = Path(used) if used else settings.policy_file or settings.home / FILE_NAME
    started = datetime.fromisoformat(hub["startedAt"]).timestamp()
    if file.stat().st_mtime > started if file.exists() else used is not None:
        yield Finding(
            what="policy in force",
            state="bad",
            detail=f"{file} has changed since the hub started, which still decides by what it read then",
            fix="Run `kapture stop`, then `kapture serve --background` with the flags of before.",
        )


def extension(status: Mapping[str, Any] | None, home: Path) -> Finding:
    """Whether a browser with a current extension is connected, from the hub's status or what an earlier hub saw."""
    if status is None:
        from kapture.hub.last_seen import last_seen_extension

        seen = last_seen_extension(home)
        detail = "no browser with it has ever connected" if seen is None else f"last seen in {seen.browser}, {seen.at}"
        fix = "`kapture setup` leads through the installation." if seen is None else ""
        return Finding(what="extension", state="note", detail=f"{detail}; no hub could be asked", fix=fix)
    browsers, why = status.get("browsers", ()), status.get("noTab")
    mine = [row for row in browsers if row.get("extension") and not row.get("launched")]
    if not mine:
        detail = f"not connected; there are tabs of {_names(browsers)}" if browsers else "no tab is connected"
        return Finding(
            what="extension",
            state="note",
            detail=why["message"] if why else detail,
            fix=why["advice"] if why else "",
        )
    names = _names(mine)
    old = [row for row in mine if row["extension"] != __version__]
    if old:
        return Finding(
            what="extension",
            state="note",
            detail=f"{names}, with extension {old[0]['extension']}; this is Kapture {__version__}",
            fix="Run `kapture setup`, then press the extension's Reload button in chrome://extensions.",
        )
    if why:
        return Finding(what="extension", state="note", detail=why["message"], fix=why["advice"])
    return Finding(what="extension", state="ok", detail=names)


def _names(browsers: Sequence[Mapping[str, Any]]) -> str:
    """Each once: a tab that executes commands itself is a browser of its own."""
    return ", ".join(dict.fromkeys(f"{row.get('name')} {row.get('version') or ''}".strip() for row in browsers))
