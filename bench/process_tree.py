"""The descendants of a process. On Windows there are none to see here: `taskkill /T` ends a whole tree."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import attrs


@attrs.frozen
class Running:
    """A process: its id, which may be reused, and its start time, by which the two are told apart."""

    pid: int
    started: str


def descendants(pid: int) -> list[Running]:
    """All descendants of this process, parents before their children."""
    children: dict[int, list[Running]] = {}
    for process, parent in _all():
        children.setdefault(parent, []).append(process)
    found: list[Running] = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += [process.pid for process in below]
    return found


def kill(processes: Iterable[Running]) -> None:
    """Kill those of the processes that are still running."""
    wanted = set(processes)
    for process, _ in _all():
        if process in wanted:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGKILL)


def _all() -> list[tuple[Running, int]]:
    """Every process, with its parent's id."""
    if not Path("/proc/self/stat").exists():
        return _listed()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_bytes().rpartition(b") ")[2].split()  # proc(5), from the third field
            except OSError:
                continue  # the process has ended
            found.append((Running(int(folder.name), fields[19].decode()), int(fields[1])))
    return found


def _listed() -> list[tuple[Running, int]]:
    """Every process, with its parent's id, on systems without /proc."""
    try:
        done = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,lstart="], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    rows = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    return [(Running(int(pid), started.strip()), int(parent)) for pid, parent, started in rows]
