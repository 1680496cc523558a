"""Processes that end with this one, however it ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kapture.measure import guard


@contextmanager
def guarded(
    process: subprocess.Popen[bytes] | subprocess.Popen[str], leaves_s: float, folder: Path | None = None
) -> Iterator[None]:
    """End a process with the block: by a signal, and by force after `leaves_s`. If this process is killed meanwhile, it
    is ended too, and the folder removed."""
    arguments = [str(process.pid), *([] if folder is None else [str(folder)])]
    try:
        watching = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except BaseException:
        _end(process, leaves_s)
        raise
    try:
        yield
    finally:
        _end(process, leaves_s)
        watching.communicate(b"x")


def _end(process: subprocess.Popen[bytes] | subprocess.Popen[str], leaves_s: float) -> None:
    process.terminate()
    try:
        process.wait(leaves_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
