"""`kapture doctor`: everything that a new user can have wrong, and what to do about each."""

from __future__ import annotations

import json
import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs
import click

from kapture import __version__
from kapture.errors import KaptureError
from kapture.settings import Settings

State = Literal["ok", "note", "bad"]
_MARKS: Mapping[State, tuple[str, str]] = {"ok": ("✓", "green"), "note": ("·", "yellow"), "bad": ("✗", "red")}


@attrs.frozen(kw_only=True)
class Finding:
    """One thing that was looked at. `bad` keeps Kapture from working, `note` may; `fix` says what to do."""

    what: str
    state: State
    detail: str
    fix: str = ""


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor_command(as_json: bool) -> None:
    """Check the set-up and say how to mend it. Exit code 1 when something keeps Kapture from working."""
    import trio

    findings = trio.run(examine)
    if as_json:
        click.echo(json.dumps([attrs.asdict(finding) for finding in findings], ensure_ascii=False, indent=2))
    else:
        for finding in findings:
            mark, colour = _MARKS[finding.state]
            click.echo(f"{click.style(mark, fg=colour)} {click.style(finding.what, bold=True)}: {finding.detail}")
            if finding.fix:
                click.echo(f"    {finding.fix}")
    raise SystemExit(any(finding.state == "bad" for finding in findings))


async def examine(environment: Mapping[str, str] | None = None) -> list[Finding]:
    """Look at everything, in the order in which things depend on each other."""
    findings = [_versions()]
    try:
        settings = Settings.load(None, environment)
    except KaptureError as error:
        findings.append(_wrong("settings", error))
        return findings
    findings += [_data_folder(settings.home), _key_file(settings.home), _policy(settings)]
    hub, status = await _hub(settings)
    findings.append(hub)
    findings += [_browser(), *_native_hosts(settings.home), _extension(status), *_clients()]
    return findings


def _wrong(what: str, error: KaptureError) -> Finding:
    return Finding(what=what, state="bad", detail=error.message, fix=error.hint)


def _versions() -> Finding:
    program = shutil.which("kapture")
    detail = f"Kapture {__version__}, Python {platform.python_version()}, {platform.system()} {platform.release()}"
    if program is None:
        return Finding(
            what="versions",
            state="note",
            detail=f"{detail}; the command kapture is not on the PATH",
            fix=f"Use `{sys.executable} -m kapture`, or put {Path(sys.executable).parent} on the PATH.",
        )
    return Finding(what="versions", state="ok", detail=detail)


def _data_folder(home: Path) -> Finding:
    if not home.exists():
        return Finding(what="data folder", state="ok", detail=f"{home} (made when the hub first runs)")
    if os.name == "posix":
        found = home.stat()
        mode = stat.S_IMODE(found.st_mode)
        if found.st_uid != os.geteuid():
            return Finding(
                what="data folder",
                state="bad",
                detail=f"{home} belongs to another user",
                fix="Set KAPTURE_HOME to a folder of your own.",
            )
        if mode & 0o077:
            return Finding(
                what="data folder",
                state="bad",
                detail=f"{home} has mode {mode:04o}: others can look into it",
                fix=f"chmod 700 {home}",
            )
    if not os.access(home, os.W_OK):
        return Finding(
            what="data folder", state="bad", detail=f"{home} cannot be written to", fix=f"Make {home} yours to write."
        )
    return Finding(what="data folder", state="ok", detail=str(home))


def _key_file(home: Path) -> Finding:
    from kapture.pairing import key_file

    if not (home / key_file.FILE_NAME).exists():
        return Finding(what="key file", state="ok", detail="none, as no hub runs with this data folder")
    try:
        content = key_file.read(home)
    except KaptureError as error:
        return _wrong("key file", error)
    return Finding(
        what="key file", state="ok", detail=f"{home / key_file.FILE_NAME}, of the hub on port {content.port}"
    )


def _policy(settings: Settings) -> Finding:
    from kapture.policy import Policy

    try:
        Policy.load(
            settings.home,
            settings.policy_file,
            safe_mode=settings.safe_mode,
            unsafe_all_sites=settings.unsafe_all_sites,
            open_port=settings.no_pairing,
        )
    except KaptureError as error:
        return _wrong("policy file", error)
    if settings.no_pairing or settings.unsafe_all_sites:
        loose = "no_pairing" if settings.no_pairing else "unsafe_all_sites"
        return Finding(
            what="policy",
            state="note",
            detail=f"{loose} is set",
            fix="Take it out of settings.toml or the environment.",
        )
    return Finding(what="policy", state="ok", detail="in order")


async def _hub(settings: Settings) -> tuple[Finding, Mapping[str, Any] | None]:
    """The hub, and what it says of itself when it can be asked."""
    from kapture.cli.serve import hub_on
    from kapture.client.connection import HubAbsentError, connect
    from kapture.client.mcp_client import open_client

    try:
        connection = await connect(settings.home, "toolsets=all&structured=1", kind="cli")
    except HubAbsentError:
        return await _no_hub(settings.port, await hub_on(settings.port)), None
    except KaptureError as error:
        return _wrong("hub", error), None
    try:
        async with open_client(connection, name="kapture doctor") as client:
            answer = await client.call("kapturemcp_status", {})
    except KaptureError as error:
        return _wrong("hub", error), None
    status: Mapping[str, Any] = (answer.get("structuredContent") or {}).get("status", {})
    about = status.get("hub", {})
    detail = f"version {about.get('version')} on port {about.get('port')}, {len(status.get('tabs', ()))} tabs"
    if about.get("version") != __version__:
        fix = f"This is Kapture {__version__}: end the hub (process {about.get('pid')}); it starts again by itself."
        return Finding(what="hub", state="bad", detail=detail, fix=fix), status
    return Finding(what="hub", state="ok", detail=detail), status


async def _no_hub(port: int, other: str | None) -> Finding:
    import trio

    if other is not None:
        return Finding(
            what="hub",
            state="bad",
            detail=f"a Kapture hub ({other}) serves port {port}, but with another data folder",
            fix="Set KAPTURE_HOME as it was when that hub was started, or end it.",
        )
    try:
        listeners = await trio.open_tcp_listeners(port, host="127.0.0.1")
    except OSError as error:
        return Finding(
            what="hub",
            state="bad",
            detail=f"port {port} is taken by another program ({error.strerror})",
            fix="End that program, or set KAPTURE_PORT to another port for the hub and its clients.",
        )
    for listener in listeners:
        await listener.aclose()
    return Finding(
        what="hub",
        state="ok",
        detail=f"not running; port {port} is free",
        fix="A client starts it when it needs it; so does `kapture serve`.",
    )


def _browser() -> Finding:
    from kapture.backends.chromium import find_browser

    try:
        return Finding(what="browser", state="ok", detail=str(find_browser()))
    except KaptureError as error:
        return Finding(what="browser", state="note", detail=error.message, fix=error.hint)


def _native_hosts(home: Path) -> Iterator[Finding]:
    """Only for browsers that this user has: the rest is no news."""
    from kapture.pairing import host_manifest

    used = [place for place in host_manifest.places() if place.profile_root is not None and place.profile_root.is_dir()]
    for place in used:
        script = host_manifest.installed(place)
        what = f"pairing with {place.browser}"
        if script is None:
            yield Finding(
                what=what,
                state="note",
                detail="the browser does not know the pairing helper",
                fix="kapture install-host  (or choose the pairing file in the extension's options)",
            )
        elif not script.exists():
            yield Finding(
                what=what, state="bad", detail=f"{script} is gone", fix="kapture install-host, to register it anew"
            )
        elif str(home) not in _text_of(script):
            yield Finding(
                what=what,
                state="bad",
                detail=f"the pairing helper looks into another data folder than {home}",
                fix="kapture install-host, with KAPTURE_HOME as the hub has it",
            )
        else:
            yield Finding(what=what, state="ok", detail=str(script))


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _extension(status: Mapping[str, Any] | None) -> Finding:
    if status is None:
        return Finding(what="extension", state="note", detail="not asked, as no hub could be")
    browsers = status.get("browsers", ())
    if not browsers:
        from kapture.package_files import extension_folder

        return Finding(
            what="extension",
            state="note",
            detail="no tab is connected",
            fix=f"In chrome://extensions turn on developer mode, load {extension_folder()}, then Connect a tab.",
        )
    names = ", ".join(f"{row.get('name')} {row.get('version') or ''}".strip() for row in browsers)
    old = [row for row in browsers if row.get("extension") and row["extension"] != __version__]
    if old:
        return Finding(
            what="extension",
            state="note",
            detail=f"{names}, with extension {old[0]['extension']}; this is Kapture {__version__}",
            fix="Reload the extension in chrome://extensions.",
        )
    return Finding(what="extension", state="ok", detail=names)


def _clients() -> Iterator[Finding]:
    """The MCP clients that are here: whether they have Kapture, and whether what they would start is there."""
    from kapture.cli.client_config import config_files
    from kapture.cli.install import entry_of

    found = False
    for config in config_files().values():
        if not config.path.exists():
            continue
        found = True
        entry = entry_of(config)
        if entry is None:
            yield Finding(
                what=config.title,
                state="note",
                detail=f"Kapture is not in {config.path}",
                fix=f"kapture install {config.client}",
            )
            continue
        command = entry.get("command")
        program = command[0] if isinstance(command, list) and command else command
        if isinstance(program, str) and shutil.which(program):
            yield Finding(what=config.title, state="ok", detail=f"has Kapture ({config.path})")
        else:
            yield Finding(
                what=config.title,
                state="bad",
                detail=f"would start {program}, which is not there",
                fix=f"kapture install {config.client}",
            )
    if not found:
        yield Finding(
            what="MCP clients", state="note", detail="none was found", fix="kapture install lists those it knows"
        )
