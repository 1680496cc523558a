"""Profile folders of browsers that the hub starts: created, locked, recovered after a crash, and removed.

A folder belongs to whoever holds the lock on its `kapture.lock`. The system releases the lock when the last process
that holds it has died, in whatever way: so a folder whose lock is free has no owner.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import trio

from kapture.backends.chromium.find import is_personal_profile
from kapture.backends.chromium.watchdog import remove_singleton
from kapture.errors import ErrorCode, KaptureError
from kapture.file_lock import open_lock, try_lock
from kapture.private_files import private_folder, unusable

LOCK_NAME = "kapture.lock"
_THROW_AWAY = "tmp-"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
PORT_FILE = "DevToolsActivePort"
"""Where Chromium writes the debugging port that it has chosen."""
_SINGLETON = ("SingletonLock", "SingletonSocket", "SingletonCookie")
_LEAVES_S = 5.0
_LOOK_AGAIN_S = 0.05


def throw_away_profile(home: Path) -> Path:
    """A new, empty folder; `UNAUTHORIZED` if it cannot be made. Folders that killed processes left behind are removed
    first."""
    folder = private_folder(home / "browsers")
    with _locked(folder / ".lock", wait=True):
        for stale in folder.glob(f"{_THROW_AWAY}*"):
            _remove_if_stale(stale)
        try:
            return Path(tempfile.mkdtemp(prefix=_THROW_AWAY, dir=folder))
        except OSError as error:
            raise unusable(f"No profile could be made in {folder}", error) from error


def named_profile(home: Path, name: str) -> Path:
    """The folder of a persistent profile, in the data folder; a person's own profiles are elsewhere."""
    if _NAME.fullmatch(name) is None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"{name!r} cannot be the name of a profile.",
            hint="Use letters, digits, dots, dashes and underscores. It names a folder below Kapture's data folder.",
        )
    return private_folder(private_folder(home / "profiles") / name)


def chosen_profile(folder: Path) -> Path:
    """A folder that was named by its path, and is kept. `LAUNCH_FAILED` when it could be a person's own profile."""
    folder = folder.absolute()
    if is_personal_profile(folder):
        raise KaptureError(
            ErrorCode.LAUNCH_FAILED,
            f"Kapture starts no browser on {folder}: it could be your own profile.",
            hint="Name another folder with --fallback-profile, KAPTURE_FALLBACK_PROFILE or CHROME_MCP_USERDATA.",
        )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(f"{folder} cannot hold a profile", error) from error
    return folder


async def lock_profile(profile: Path) -> int:
    """Lock the folder; returns the file descriptor that holds the lock. Waits a while for a browser that is exiting,
    then raises `LAUNCH_FAILED`."""
    handle = open_lock(profile / LOCK_NAME)
    try:
        with trio.move_on_after(_LEAVES_S):
            while not try_lock(handle):  # noqa: ASYNC110
                await trio.sleep(_LOOK_AGAIN_S)  # another process's lock: there is no event to wait for
            return handle
        raise _in_use(profile, "another Kapture process")
    except BaseException:
        os.close(handle)
        raise


async def recover_profile(profile: Path) -> None:
    """Remove the lock of a browser that was killed, once it is proved dead, and the note of its debugging port;
    `LAUNCH_FAILED` if it is not.

    Chromium's `SingletonLock` is a symbolic link to `host-pid`.
    """
    with trio.move_on_after(_LEAVES_S):
        while (owner := _living_owner(profile)) is not None:  # noqa: ASYNC110
            await trio.sleep(_LOOK_AGAIN_S)  # another process's end: there is no event to wait for
    if owner is not None:
        raise _in_use(profile, owner)
    remove_singleton(str(profile))
    for name in (*_SINGLETON, PORT_FILE):
        (profile / name).unlink(missing_ok=True)


def remove_profile(profile: Path) -> None:
    """Remove the folder with everything in it. Tries again: exiting processes may still write there."""
    remove_singleton(str(profile))
    for _ in range(3):
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists():
            return


def _living_owner(profile: Path) -> str | None:
    """Describe the user of the profile; None if it is free."""
    try:
        host, _, pid = str((profile / "SingletonLock").readlink()).rpartition("-")
    except OSError:
        return None
    if not pid.isdigit():
        return None
    if host != socket.gethostname():
        return f"process {pid} on the machine {host}"
    return f"process {pid}" if _runs_on(int(pid), profile) else None


def _runs_on(pid: int, profile: Path) -> bool:
    """Whether this process is alive and a browser with this profile; the pid may have been reused."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    state, command = _process(pid)
    return not state.startswith("Z") and (str(profile) in command or not command)


def _process(pid: int) -> tuple[str, str]:
    """State and command line of a process; empty if they cannot be read, as while it is being started."""
    folder = Path("/proc") / str(pid)
    if folder.exists():
        with suppress(OSError):
            state = (folder / "stat").read_text().rpartition(")")[2].strip()
            return state, (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        return "", ""
    listed = subprocess.run(
        ["ps", "-ww", "-p", str(pid), "-o", "stat=,command="], capture_output=True, text=True
    ).stdout
    state, _, command = listed.strip().partition(" ")
    return state, command


def _remove_if_stale(profile: Path) -> None:
    try:
        handle = os.open(profile / LOCK_NAME, os.O_RDWR)
    except OSError:
        remove_profile(profile)  # its creator died before locking it
        return
    try:
        stale = try_lock(handle)
    finally:
        os.close(handle)
    if stale:
        remove_profile(profile)


def _in_use(profile: Path, owner: str) -> KaptureError:
    return KaptureError(
        ErrorCode.LAUNCH_FAILED,
        f"The profile {profile.name} is in use by {owner}.",
        hint="Close that browser, or give another --profile.",
        data={"profile": profile.name},
    )


@contextmanager
def _locked(path: Path, *, wait: bool) -> Iterator[None]:
    handle = open_lock(path)
    try:
        try_lock(handle, wait=wait)
        yield
    finally:
        os.close(handle)
