"""Processes that end with this one, however it ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kapture.measure import guard


@contextmanager
def guarded(process: subprocess.Popen[bytes] | subprocess.Popen[str], folder: Path | None = None) -> Iterator[None]:
    """For the length of the block, have a process ended, and a folder removed, if this process is killed."""
    arguments = [str(process.pid), *([] if folder is None else [str(folder)])]
    watching = subprocess.Popen(
        [sys.executable, "-I", "-S", guard.__file__, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        watching.communicate(b"x")
