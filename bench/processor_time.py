"""The CPU time per call of each process, which is stable on a busy machine."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from bench.build import Stack, Tab
from bench.operations import OPERATIONS
from bench.process_tree import descendants

PARTS = ("hub", "bridge", "extension", "page", "browser", "other")
SHOWN = (
    *("evaluate 1+1", "click", "fill one field", "fill ten fields", "press a key", "select", "batch of ten evaluates"),
    *("snapshot, small form", "screenshot, PNG"),
)


@attrs.frozen
class Cost:
    """CPU time of one call by process, in milliseconds."""

    what: str
    side: str
    ms: Mapping[str, float]

    @property
    def total(self) -> float:
        return sum(self.ms.values())


async def costs(stack: Stack, site: Callable[[str], str], runs: int, only: str) -> list[Cost]:
    """Costs of the operations of `SHOWN` whose names contain `only`: raw, plain and as an agent."""
    found = []
    for operation in OPERATIONS:
        if operation.what not in SHOWN or only not in operation.what:
            continue
        await stack.tab.show(site(operation.page))
        await stack.tab.floor.prepare(*operation.points)
        for side, work in (("raw", operation.raw), ("plain", operation.plain), ("agent", operation.agent)):
            if work is not None:
                await stack.tab.as_agent("snapshot")
                found.append(Cost(operation.what, side, await _cost(stack, work, runs)))
    return found


async def _cost(stack: Stack, work: Callable[[Tab], Awaitable[Any]], runs: int) -> Mapping[str, float]:
    for _ in range(5):
        await work(stack.tab)
    before = _spent(stack.hub.process.pid)
    for _ in range(runs):
        await work(stack.tab)
    after = _spent(stack.hub.process.pid)
    return {part: (after[part] - before[part]) / runs for part in PARTS}


def _spent(hub: int) -> Mapping[str, float]:
    """CPU time so far of each part, over all descendants of this process, in milliseconds."""
    spent = dict.fromkeys(PARTS, 0.0)
    for pid in (process.pid for process in descendants(os.getpid())):
        try:
            part = "hub" if pid == hub else _part(Path(f"/proc/{pid}/cmdline").read_bytes())
            for task in Path(f"/proc/{pid}/task").iterdir():
                spent[part] += int((task / "schedstat").read_text().split()[0]) / 1e6
        except OSError:
            continue  # it has ended
    return spent


def _part(command: bytes) -> str:
    if b"kapture\0mcp" in command:
        return "bridge"
    if b"--type=renderer" in command:
        return "extension" if b"--extension-process" in command else "page"
    if b"--type=" not in command and b"--remote-debugging-port" in command:
        return "browser"
    return "other"
