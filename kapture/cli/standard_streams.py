"""stdout and stderr that write all that they are given."""

from __future__ import annotations

import io
import sys


def write_whole() -> None:
    """Put a buffer under stdout and stderr where Python has none: under `python -u` and with PYTHONUNBUFFERED.

    Without one a write to a pipe that a signal interrupts, as when the process is stopped and continued, loses the rest
    without an error (https://github.com/python/cpython/issues/85393). Lines are still written at once.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and isinstance(stream.buffer, io.RawIOBase):
            encoding, errors = stream.encoding, stream.errors
            whole = open(stream.fileno(), "w", 1, encoding, errors, closefd=False)  # noqa: SIM115  stays open
            setattr(sys, name, whole)
