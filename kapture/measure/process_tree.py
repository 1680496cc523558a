"""The descendants of a process."""

from __future__ import annotations

import subprocess
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """The ids of all descendants of this process, parents before their children. Empty on Windows."""
    children: dict[int, list[int]] = {}
    for child, parent in _parents().items():
        children.setdefault(parent, []).append(child)
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _parents() -> dict[int, int]:
    """The parent of every process."""
    if not Path("/proc/self/stat").exists():
        return _listed_parents()
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(") ")[2].split()[1])
            except OSError:
                continue  # the process has ended
    return parents


def _listed_parents() -> dict[int, int]:
    """The parent of every process, on systems without /proc."""
    try:
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return {}
    return {int(pid): int(parent) for pid, parent in (line.split() for line in listed.stdout.splitlines())}
