"""Folders and files that only their owner may read or change; this is verified, not assumed."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from kapture.errors import ErrorCode, KaptureError

_POSIX = os.name == "posix"
_FULL = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_MOST_LINKS = 40  # as Linux follows
_OUR_NAMES = {
    "native-host",
    "scenarios",
    "scenarios.index",
    "scenarios.lock",
    "secrets.fernet",
    "secrets.key",
    "console.html",
    "hub.json",
    "seen.json",
    "narrowings.json",
    "caps.json",
    "policy.toml",
    "settings.toml",
    "audit.jsonl",
    "downloads",
    "uploads",
}


def private_folder(folder: Path) -> Path:
    """Create the folder with mode 0700, or verify that only we can use it; `UNAUTHORIZED` otherwise."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = folder.resolve(strict=True)
        if _POSIX:
            found = folder.stat()
            if found.st_uid != os.geteuid():
                raise refused(f"{folder} belongs to another user.")
            if stat.S_IMODE(found.st_mode) & 0o077:
                _close_to_others(folder)
            _check_ancestors(folder)
    except OSError as error:
        raise unusable(f"{folder} cannot be used", error) from error
    return folder


def write_private_file(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write a file atomically with mode 0600 and verify it; `UNAUTHORIZED` on failure, which leaves no file.

    `durable`: sync it to the disk before returning.
    """
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    ours = new
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(handle, "wb") as file:
            if _POSIX:
                os.fchmod(file.fileno(), 0o600)
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        new.replace(path)
        ours = path
        check_private_file(path)
    except (OSError, KaptureError) as error:
        with suppress(OSError):  # a folder that has become read-only keeps what is in it
            ours.unlink(missing_ok=True)
        if isinstance(error, KaptureError):
            raise
        raise unusable(f"{path} could not be written", error) from error


def check_private_file(path: Path) -> None:
    """Check that this is a regular file that only we, its owner, can read and write; `UNAUTHORIZED` otherwise."""
    _check_file(path, path.lstat())


def open_private_file(path: Path) -> BinaryIO:
    """Open a file for reading that only we can read and write, in a folder that only we can use; `UNAUTHORIZED`
    otherwise. What is checked is the open file, which nothing can replace."""
    if _POSIX:
        folder = path.parent.resolve(strict=True)
        found = folder.stat()
        if found.st_uid != os.geteuid():
            raise refused(f"{folder} belongs to another user.")
        if stat.S_IMODE(found.st_mode) & 0o077:
            raise refused(f"{folder} is not yours alone.")
        _check_ancestors(folder)
    # A pipe is opened without waiting for who writes to it, and refused.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise refused(f"{path} is not a regular file.") from error
        raise
    try:
        _check_file(path, os.fstat(handle))
    except BaseException:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def open_secret_file(path: Path) -> BinaryIO:
    """Open a file that a person has named, through links, for reading; `OSError` if there is none, or if others than
    its owner and the administrator could have read or written it. Others may read its folder, as they may the home
    folder on many systems."""
    file = open_regular_file(path)
    mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
    if _POSIX and mode & 0o077:
        problem: str | None = f"other users may read or write it (mode {mode:04o}); run `chmod 600` on it"
    else:
        problem = why_others_may_write(path, file.fileno())
    if problem is not None:
        file.close()
        raise OSError(errno.EACCES, problem, str(path))
    return file


def open_regular_file(path: Path) -> BinaryIO:
    """Open a file for reading that someone else may have chosen, through links; `OSError` if it is a pipe, a device or
    no file at all. A pipe is opened without waiting for who writes to it."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def read_regular_file(path: Path, limit_bytes: int) -> bytes:
    """The content of such a file; `OSError` if it is longer than this."""
    with open_regular_file(path) as file:
        content = file.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {limit_bytes} bytes", str(path))
    return content


def _check_file(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise refused(f"{path} is not a regular file.")
    if not _POSIX:
        return  # Windows keeps a user's own folders from other users by their access lists
    if found.st_uid != os.geteuid():
        raise refused(f"{path} belongs to another user.")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise refused(f"{path} has mode {stat.S_IMODE(found.st_mode):04o}; it must be 0600.")


def why_others_may_write(path: Path, handle: int) -> str | None:
    """Why someone other than us or the administrator could have written this open file's content, and what to do;
    None if nobody could."""
    if not _POSIX:
        return None
    found = os.fstat(handle)
    if found.st_uid not in (os.geteuid(), 0):
        return "it belongs to another user"
    if stat.S_IMODE(found.st_mode) & 0o022:
        return f"other users may write to it (mode {stat.S_IMODE(found.st_mode):04o}); run `chmod go-w` on it"
    for folder, name in _way_to(path):
        if (problem := _why_others_may_replace(folder)) is not None:
            return problem
        if (folder / name).is_symlink() and (folder / name).lstat().st_uid not in (os.geteuid(), 0):
            return f"{folder / name}, on the way to it, is another user's link"
    return None


def _way_to(path: Path) -> Iterator[tuple[Path, str]]:
    """Every name on the way to a file, through links, with the folder it is in: who can replace one can replace the
    file."""
    folder = Path(path.absolute().anchor)
    left = list(path.absolute().parts[:0:-1])
    links = 0
    while left:
        name = left.pop()
        if name == os.pardir:
            folder = folder.parent
            continue
        yield folder, name
        if not (folder / name).is_symlink():
            folder /= name
        elif (links := links + 1) <= _MOST_LINKS:
            target = (folder / name).readlink()
            left += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            folder = Path(target.anchor) if target.is_absolute() else folder


def refused(message: str) -> KaptureError:
    """The error for a file or folder that is not private."""
    hint = "Set KAPTURE_HOME to a folder of your own"
    if _POSIX:
        hint += ", or make it yours alone: chmod 700 for the folder, 600 for the file"
    return KaptureError(ErrorCode.UNAUTHORIZED, message, hint=f"{hint}.")


def unusable(problem: str, error: OSError) -> KaptureError:
    """The error for a file or folder that the system does not let us use; `problem` names it, without a full stop."""
    message = f"{problem}: {error.strerror or error}."
    if error.errno in _FULL:
        return KaptureError(ErrorCode.UNAUTHORIZED, message, hint="Make room on its disk.")
    if error.errno in _READ_ONLY:
        hint = "Make it writable for yourself, or set KAPTURE_HOME to a folder that is."
        return KaptureError(ErrorCode.UNAUTHORIZED, message, hint=hint)
    return refused(message)


def _close_to_others(folder: Path) -> None:
    """Reduce the folder's mode to 0700, but only of a folder that is clearly Kapture's."""
    names = {entry.name for entry in folder.iterdir()}
    if names and not names & _OUR_NAMES:
        raise refused(f"{folder} is open to other users and holds files that are not Kapture's.")
    folder.chmod(0o700)
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        raise refused(f"{folder} is open to other users, and its mode cannot be changed.")


def _why_others_may_replace(folder: Path) -> str | None:
    """Why someone other than us or the administrator may replace what is in a folder; None if nobody may."""
    found = folder.stat()
    if found.st_uid not in (os.geteuid(), 0):
        return f"{folder} belongs to another user"
    if found.st_mode & stat.S_ISVTX:
        return None  # each may replace there what is theirs
    if found.st_mode & stat.S_IWOTH:
        return f"every user of this machine may replace files in {folder}; run `chmod o-w` on it"
    if found.st_mode & stat.S_IWGRP and not is_own_group(found.st_gid):
        return f"users of its group may replace files in {folder}; run `chmod g-w` on it"
    return None


def is_own_group(gid: int) -> bool:
    """Whether this is the group that many systems make for each user alone, whose folders it may write to."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return user.pw_uid != 0 and gid == user.pw_gid and group.gr_name == user.pw_name and not group.gr_mem


def _check_ancestors(folder: Path) -> None:
    """Refuse a path in which somebody else could replace a parent folder."""
    for parent in folder.parents:
        if (problem := _why_others_may_replace(parent)) is not None:
            raise refused(f"{folder} is not yours alone: {problem}.")
