"""Timing: blocks in turn, so that whatever else the machine does falls on all alike."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import attrs
import trio

WARM_UP = 3
BLOCK = 6
FRAME_S = 1 / 60


@attrs.frozen
class Side:
    """One of what is compared. `call` is timed; `check` runs after each block and raises if it had no effect."""

    name: str
    call: Callable[[], Awaitable[Any]]
    check: Callable[[], Awaitable[None]] | None = None
    before: Callable[[], Awaitable[Any]] | None = None  # each block; not timed
    out_of_step: bool = False  # with the browser's frames: each call begins at another moment between two of them


@attrs.define
class Times:
    """Durations in milliseconds."""

    all_ms: list[float] = attrs.field(factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.all_ms)

    @property
    def p95(self) -> float:
        return sorted(self.all_ms)[min(len(self.all_ms) - 1, int(len(self.all_ms) * 0.95))]


async def in_turn(sides: Sequence[Side], runs: int, *, block: int = BLOCK) -> dict[str, Times]:
    """At least so many calls of each, in blocks, one side after the other."""
    times = {side.name: Times() for side in sides}
    done = -1
    while done < runs:
        warming = done < 0
        for side in sides:
            if side.before is not None:
                await side.before()
            for _ in range(min(block, WARM_UP) if warming else block):
                if side.out_of_step:
                    await trio.sleep(random.uniform(0, FRAME_S))
                begin = time.perf_counter()
                await side.call()
                if not warming:
                    times[side.name].all_ms.append((time.perf_counter() - begin) * 1000)
            if side.check is not None:
                await side.check()
        done = 0 if warming else done + block
    return times
