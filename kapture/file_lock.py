"""The system's lock on an open file, which it releases when the file is closed, or its holder dies."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from kapture.private_files import unusable


def open_lock(path: Path) -> int:
    """Open a lock file, made with mode 0600 if there is none; its descriptor. Closing it releases the lock.

    `UNAUTHORIZED` if the system refuses, such as in a folder that is read-only.
    """
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise unusable(f"{path} could not be opened", error) from error


def try_lock(handle: int, *, wait: bool = False) -> bool:
    """Take the lock of an open file; False while another descriptor has it. `wait`: until it is free, on Windows 10 s
    at most."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
