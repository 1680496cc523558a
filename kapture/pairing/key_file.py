"""`hub.json`: where the hub is and what proves that one may talk to it, for nobody but its owner.

The file is written whole or not at all, readable by its owner alone, in a folder of the owner alone; all of
that is looked at after writing and again before each reading, and anything else is an error: nobody pairs
over a file that others could have read or made.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

import attrs
import msgspec

from kapture.errors import ErrorCode, KaptureError
from kapture.pairing.proof import decode

FILE_NAME = "hub.json"
_MAX_BYTES = 16_384
_OUR_NAMES = {FILE_NAME, "policy.toml", "settings.toml", "audit.jsonl", "downloads", "scenarios"}
_POSIX = os.name == "posix"


@attrs.frozen(kw_only=True)
class KeyFile:
    """What `hub.json` says. `key` and `clientToken` are secrets: neither is in the repr."""

    version: str
    port: int
    pid: int
    key: str = attrs.field(repr=False)
    clientToken: str = attrs.field(repr=False)  # noqa: N815  as it is spelled in the file
    startedAt: str  # noqa: N815


def write(home: Path, content: KeyFile) -> Path:
    """Write `hub.json` atomically with mode 0600 and verify it; its path. Fails closed, leaving no file."""
    folder = private_folder(home)
    path = folder / FILE_NAME
    new = folder / f".{FILE_NAME}.{secrets.token_hex(8)}"
    ours = new
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(handle, "wb") as file:
            if _POSIX:
                os.fchmod(file.fileno(), 0o600)
            file.write(msgspec.json.encode(content))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        ours = path
        check_private_file(path)
    except (OSError, KaptureError) as error:
        ours.unlink(missing_ok=True)
        if isinstance(error, KaptureError):
            raise
        raise _refused(f"{path} could not be written: {error.strerror or error}.") from error
    return path


def read(home: Path) -> KeyFile:
    """What the running hub wrote; `UNAUTHORIZED` if there is none, or if others could have read or made it."""
    path = home / FILE_NAME
    try:
        check_private_file(path)
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        content = msgspec.json.decode(raw, type=KeyFile)
    except FileNotFoundError as error:
        raise KaptureError(
            ErrorCode.UNAUTHORIZED,
            f"No hub has left a key at {path}.",
            hint="Start one with `kapture serve`.",
        ) from error
    except OSError as error:
        raise _refused(f"{path} could not be read: {error.strerror or error}.") from error
    except msgspec.MsgspecError as error:
        raise _refused(f"{path} is not a key file: {error}.") from error
    if decode(content.key) is None or decode(content.clientToken) is None:
        raise _refused(f"{path} is not a key file: its key is not 32 bytes.")
    return content


def remove(home: Path, content: KeyFile) -> None:
    """Take the file away if it is still the one with this content: a newer hub's stays."""
    try:
        if read(home) == content:
            (home / FILE_NAME).unlink(missing_ok=True)
    except KaptureError:
        return  # gone or not ours any more: nothing of ours is left to take away


def private_folder(folder: Path) -> Path:
    """Make the folder with mode 0700, or make sure that it is ours alone; else `UNAUTHORIZED`."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = folder.resolve(strict=True)
        if _POSIX:
            found = folder.stat()
            if found.st_uid != os.geteuid():
                raise _refused(f"{folder} belongs to another user.")
            if stat.S_IMODE(found.st_mode) & 0o077:
                _close_to_others(folder)
            _check_ancestors(folder)
    except OSError as error:
        raise _refused(f"{folder} cannot be used: {error.strerror or error}.") from error
    return folder


def _close_to_others(folder: Path) -> None:
    """Take the folder's mode down to 0700, but only of a folder that is plainly meant for us."""
    names = {entry.name for entry in folder.iterdir()}
    if names and not names & _OUR_NAMES:
        raise _refused(f"{folder} is open to other users and holds files that are not Kapture's.")
    folder.chmod(0o700)
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        raise _refused(f"{folder} is open to other users, and its mode cannot be changed.")


def check_private_file(path: Path) -> None:
    """Return if only its owner, we, can read and write this regular file; else `UNAUTHORIZED`."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise _refused(f"{path} is not a regular file.")
    if not _POSIX:
        return  # Windows keeps a user's own folders from other users by their access lists
    if found.st_uid != os.geteuid():
        raise _refused(f"{path} belongs to another user.")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise _refused(f"{path} has mode {stat.S_IMODE(found.st_mode):04o}; it must be 0600.")


def _check_ancestors(folder: Path) -> None:
    """Refuse a path that any user of the machine could swap for another one above our folder."""
    for parent in folder.parents:
        mode = parent.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise _refused(f"{parent}, above {folder}, can be changed by every user of this machine.")


def _refused(message: str) -> KaptureError:
    hint = "Set KAPTURE_HOME to a folder of your own"
    if _POSIX:
        hint += ", or make it yours alone: chmod 700 for the folder, 600 for the file"
    return KaptureError(ErrorCode.UNAUTHORIZED, message, hint=f"{hint}.")
