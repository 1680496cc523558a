"""The lock on changes to the scenarios and secrets of a data folder, between threads and between processes.

A change reads the current state first. Without the lock, another change made in between would be undone, or a secret
would be stored for the wrong scenario. The hub makes changes in several threads, and `kapture scenario` in processes of
its own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock

from kapture.errors import ErrorCode, KaptureError
from kapture.file_lock import open_lock, try_lock
from kapture.private_files import private_folder

LOCK_NAME = "scenarios.lock"
PATIENCE_S = 10.0
_LOOK_AGAIN_S = 0.005


class _Turn:
    """Whose turn it is in this process; the file is locked while it is anybody's."""

    def __init__(self) -> None:
        self.thread = RLock()
        self.depth = 0
        self.handle = -1


_turns: dict[Path, _Turn] = {}
_turns_lock = Lock()


@contextmanager
def change_lock(home: Path) -> Iterator[None]:
    """Hold the lock for the length of the block, which may hold it already; waits for others in this thread.

    `SCENARIO_FAILED` if others hold it for `PATIENCE_S`.
    """
    home = private_folder(home)
    with _turns_lock:
        turn = _turns.setdefault(home, _Turn())
    if not turn.thread.acquire(timeout=PATIENCE_S):
        raise _busy(home)
    try:
        if turn.depth == 0:
            turn.handle = _locked(home)
        turn.depth += 1
        try:
            yield
        finally:
            turn.depth -= 1
            if turn.depth == 0:
                os.close(turn.handle)
    finally:
        turn.thread.release()


def _locked(home: Path) -> int:
    handle = open_lock(home / LOCK_NAME)
    try:
        until = time.monotonic() + PATIENCE_S
        while not try_lock(handle):
            if time.monotonic() > until:
                raise _busy(home)
            time.sleep(_LOOK_AGAIN_S)  # the lock is another process's: there is no event to wait for
    except BaseException:
        os.close(handle)
        raise
    return handle


def _busy(home: Path) -> KaptureError:
    return KaptureError(
        ErrorCode.SCENARIO_FAILED,
        f"The scenarios in {home} have been locked by other programs for {PATIENCE_S:g} s; nothing was changed.",
        hint="Try again. If this persists, look for a `kapture scenario` that hangs, and end it.",
    )
