"""A process that ends another one when their parent has ended, in whatever way: also when it was killed.

Run as a program, with the standard library alone. Its arguments are the other one's process id and, if any, a folder to
remove. Its standard input is a pipe from the parent: one that just ends means that the parent has; any byte, that there
is nothing to do.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time

_LEAVES_S = 15.0
_POLLED_EACH_S = 0.05


def main() -> None:
    """Wait for the parent's end, then end the process and remove the folder."""
    pid, folders = int(sys.argv[1]), sys.argv[2:]
    if sys.stdin.buffer.read(1):
        return
    _end(pid)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _end(pid: int) -> None:
    """Ask it to exit, so that it ends what it has started itself; then make sure."""
    try:
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + _LEAVES_S
        while time.monotonic() < deadline:
            time.sleep(_POLLED_EACH_S)  # there is no event for the end of another's child
            os.kill(pid, 0)
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    except OSError:
        return  # it has ended


if __name__ == "__main__":
    main()
