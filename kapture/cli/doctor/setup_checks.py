"""Checks of what is installed and configured on this machine, for `kapture doctor`."""

from __future__ import annotations

import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kapture import __version__
from kapture.__about__ import DISTRIBUTION
from kapture.cli.doctor.finding import Finding, failed
from kapture.cli.terminal import harmless_line
from kapture.errors import KaptureError
from kapture.settings import Settings

_ROOM_BYTES = 1_000_000
_VERSION_S = 10
_started: set[str] = set()
"""Browsers that have started before. The empty Console has them checked every few seconds."""


def versions() -> Finding:
    """Versions of Kapture, Python and the system; whether a shell finds `kapture`."""
    from kapture.cli.clients.known_clients import runs_from_cache

    program = None if runs_from_cache() else shutil.which("kapture")
    detail = f"Kapture {__version__}, Python {platform.python_version()}, {platform.system()} {platform.release()}"
    if program is None:
        return Finding(
            what="versions",
            state="note",
            detail=f"{detail}; no shell will find the command `kapture`",
            fix=f"{path_advice(sys.prefix)} Until then: `{sys.executable} -m kapture`.",
        )
    return Finding(what="versions", state="ok", detail=detail)


def path_advice(prefix: str) -> str:
    """How to make a shell find `kapture`, depending on what installed it into the environment at `prefix`."""
    from kapture.cli.clients.known_clients import runs_from_cache

    if runs_from_cache(prefix):
        return f"Run `uv tool install {DISTRIBUTION}`: this one is in uv's cache, which may be emptied."
    folders = Path(prefix).parts
    if "pipx" in folders:
        return "Run `pipx ensurepath`, then open a new terminal."
    if "uv" in folders and "tools" in folders:
        return "Run `uv tool update-shell`, then open a new terminal."
    return f"Add {Path(sys.executable).parent} to the PATH."


def extension_files() -> Finding:
    """Where the extension's folder is, and whether it is of this version."""
    from kapture.cli.extension_folder import is_ours, version_of, visible_folder
    from kapture.package_files import extension_folder

    folder = visible_folder()
    if folder.exists() and not is_ours(folder):
        detail = f"{extension_folder()}; {folder} holds something else"
        fix = "Move that away, then run `kapture extension`."
        return Finding(what="extension folder", state="note", detail=detail, fix=fix)
    if not folder.is_dir():
        fix = f"`kapture setup` puts it into {folder}, where it stays in later versions."
        return Finding(what="extension folder", state="ok", detail=str(extension_folder()), fix=fix)
    version = version_of(folder)
    if version != __version__:
        fix = "Run `kapture setup`, then press the extension's Reload button in chrome://extensions."
        return Finding(what="extension folder", state="note", detail=f"{folder} (version {version})", fix=fix)
    return Finding(what="extension folder", state="ok", detail=f"{folder} (version {version})")


def data_folder(home: Path) -> Finding:
    """Whether the data folder is private and can be written to, and its disk has room."""
    if not home.exists():
        above = next(folder for folder in home.absolute().parents if folder.exists())
        if not os.access(above, os.W_OK | os.X_OK):
            return Finding(
                what="data folder",
                state="bad",
                detail=f"{home} cannot be created: {above} is not writable",
                fix=f"Give yourself write access to {above}, or set KAPTURE_HOME to a folder of your own.",
            )
        return Finding(what="data folder", state="ok", detail=f"{home} (created when the hub first runs)")
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
                detail=f"{home} has mode {mode:04o}: other users can read it",
                fix=f"Run `chmod 700 {home}`.",
            )
    if not os.access(home, os.W_OK):
        return Finding(
            what="data folder",
            state="bad",
            detail=f"{home} is not writable",
            fix=f"Give yourself write access to {home}.",
        )
    if (free := shutil.disk_usage(home).free) < _ROOM_BYTES:
        return Finding(
            what="data folder",
            state="bad",
            detail=f"the disk of {home} is full: {free:,} bytes are free",
            fix="Make room on it: what the hub records, downloads and saves is lost meanwhile.",
        )
    return Finding(what="data folder", state="ok", detail=str(home))


def key_file_check(home: Path) -> Finding:
    """Whether the key file, if it exists, is private and readable."""
    from kapture.pairing import key_file
    from kapture.pairing.native_host import is_running

    if not key_file.exists(home):
        return Finding(what="key file", state="ok", detail="none, because no hub runs with this data folder")
    try:
        content = key_file.read(home)
    except KaptureError as error:
        return failed("key file", error)
    whose = f"of the hub on port {content.port}" if is_running(content.pid) else "left by a hub that was killed"
    return Finding(what="key file", state="ok", detail=f"{home / key_file.FILE_NAME}, {whose}")


def policy(settings: Settings) -> Finding:
    """Which policy caps a hub that starts by itself, whether its file is valid, and whether a setting weakens the hub's
    protection."""
    from kapture.policy import Policy
    from kapture.policy.kept_caps import with_kept

    try:
        settings = with_kept(settings)
        found = Policy.load(
            settings.home,
            settings.policy_file,
            safe_mode=settings.safe_mode,
            unsafe_all_sites=settings.unsafe_all_sites,
            open_port=settings.no_pairing,
        )
    except KaptureError as error:
        return failed("policy file", error)
    if settings.no_pairing or settings.unsafe_all_sites:
        loose = "no_pairing" if settings.no_pairing else "unsafe_all_sites"
        return Finding(
            what="policy",
            state="note",
            detail=f"{loose} is set",
            fix="Remove it from settings.toml or the environment unless you need it.",
        )
    safe = "on" if settings.safe_mode else "off"
    file = f"{found.source} (SHA-256 {found.sha256}) is valid" if found.source else "no file"
    return Finding(what="policy", state="ok", detail=f"{file}; safe mode is {safe}")


def browser() -> Finding:
    """Whether `kapture launch` finds a browser, and that browser starts."""
    from kapture.backends.chromium.find import find_browser

    try:
        program = str(find_browser())
    except KaptureError as error:
        return Finding(what="browser", state="note", detail=error.message, fix=error.hint)
    if problem := _start_problem(program):
        fix = "Install what it misses, or name another browser: KAPTURE_BROWSER, or `kapture launch --browser`."
        return Finding(what="browser", state="bad", detail=f"{program} does not start: {problem}", fix=fix)
    return Finding(what="browser", state="ok", detail=program)


def _start_problem(program: str) -> str:
    """Why a browser does not start, in its own words; empty if it does. Not asked on Windows: it would open there."""
    if sys.platform == "win32" or program in _started:
        return ""
    nothing = subprocess.DEVNULL
    with tempfile.TemporaryFile() as said:  # a pipe would be waited for as long as anything that it started has it
        try:
            done = subprocess.run(
                [program, "--version"], stdin=nothing, stdout=nothing, stderr=said, check=False, timeout=_VERSION_S
            )
        except subprocess.TimeoutExpired:
            return ""  # it runs, if slowly
        except OSError as error:
            return error.strerror or str(error)
        if done.returncode == 0:
            _started.add(program)
            return ""
        said.seek(0)
        words = said.read().decode(errors="replace").strip()
    return harmless_line(words.rpartition("\n")[2][:300]) or f"it ended with {done.returncode}"


def native_hosts(home: Path) -> Iterator[Finding]:
    """Whether the native messaging host is registered with each browser of this user."""
    from kapture.pairing import host_manifest
    from kapture.pairing.browser_locations import browser_locations

    for location in browser_locations():
        if not location.in_use:
            continue
        script = host_manifest.installed(location)
        what = f"pairing with {location.title}"
        if script is None:
            yield Finding(
                what=what,
                state="note",
                detail="the native messaging host is not installed",
                fix="Run `kapture install-host`, or choose the pairing file in the extension's options.",
            )
        elif not script.exists():
            yield Finding(
                what=what, state="bad", detail=f"{script} is missing", fix="Run `kapture install-host` again."
            )
        elif host_manifest.data_folder_of(script) != home.resolve():
            yield Finding(
                what=what,
                state="bad",
                detail=f"the native messaging host uses another data folder than {home}",
                fix="Run `kapture install-host` with the KAPTURE_HOME that the hub uses.",
            )
        elif (version := host_manifest.version_of(script)) != __version__:
            which = "a Kapture that is gone" if version is None else f"Kapture {version or 'of an unknown version'}"
            yield Finding(
                what=what,
                state="bad" if version is None else "note",
                detail=f"the native messaging host is that of {which}; this is {__version__}",
                fix="Run `kapture setup`.",
            )
        else:
            yield Finding(what=what, state="ok", detail=str(script))


def _version_at(program: str) -> str:
    """The version of the Kapture that is this program; empty if it is another program, or does not say."""
    if not Path(program).name.startswith("kapture"):
        return ""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_VERSION_S, check=False)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    found = re.match(r"kapture,?(?: version)? (\d[\w.]*)", done.stdout)
    return found[1] if found else ""


def mcp_clients() -> Iterator[Finding]:
    """Whether the MCP clients on this machine have Kapture or could be given it, and the program they start exists."""
    from kapture.cli.clients.config_file import RefusedEditError, adding, entry_of, is_found, program_of
    from kapture.cli.clients.known_clients import config_files, launch_command

    found = False
    for config in config_files().values():
        if not is_found(config):
            continue
        found = True
        entry = entry_of(config)
        if entry is None:
            try:
                adding(config)
            except RefusedEditError as error:  # what `kapture install` would say, without the entry to paste
                yield Finding(what=config.title, state="note", detail=error.message.partition("\n")[0])
                continue
            yield Finding(
                what=config.title,
                state="note",
                detail=f"Kapture is not configured in {config.path}",
                fix=f"Run `kapture install {config.client}`.",
            )
            continue
        program = program_of(entry)
        if program is not None and shutil.which(program):
            version = "" if program == launch_command()[0] else _version_at(program)
            if version not in ("", __version__):
                yield Finding(
                    what=config.title,
                    state="note",
                    detail=f"its configuration starts Kapture {version} ({program}); this is {__version__}",
                    fix=f"Run `kapture setup`, or `kapture install {config.client}`.",
                )
                continue
            yield Finding(what=config.title, state="ok", detail=f"Kapture is configured ({config.path})")
        else:
            yield Finding(
                what=config.title,
                state="bad",
                detail=f"its configuration starts {program}, which does not exist",
                fix=f"Run `kapture install {config.client}`.",
            )
    if not found:
        yield Finding(
            what="MCP clients",
            state="note",
            detail="none found",
            fix="`kapture install` lists the clients that it knows.",
        )
