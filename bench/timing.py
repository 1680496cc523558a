"""Timing in alternating blocks, so that other load on the machine affects all sides alike."""

from __future__ import annotations

import math
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


class SideFailedError(Exception):
    """A side cannot be measured any further; the others can."""


@attrs.frozen
class Side:
    """One of the compared sides. `call` is timed; `check` runs after each block and raises if the calls had no
    effect."""

    name: str
    call: Callable[[], Awaitable[Any]]
    check: Callable[[], Awaitable[None]] | None = None
    before: Callable[[], Awaitable[Any]] | None = None  # before each block; not timed
    out_of_step: bool = False  # start each call at another moment between two of the browser's frames


@attrs.define
class Times:
    """Durations in milliseconds. `failure`: the message of `SideFailedError` that ended the measurements."""

    all_ms: list[float] = attrs.field(factory=list)
    failure: str | None = None

    @property
    def median(self) -> float:
        """The median."""
        return statistics.median(self.all_ms)

    @property
    def p95(self) -> float:
        """The 95th percentile."""
        return percentile(self.all_ms, 95)


async def in_turn(sides: Sequence[Side], runs: int, *, block: int = BLOCK) -> dict[str, Times]:
    """Time at least this many calls of each, in blocks of no more, one side after the other. A side that raises
    `SideFailedError` is left out from then on."""
    block = min(block, runs)
    times = {side.name: Times() for side in sides}
    done = -1
    while done < runs:
        warming = done < 0
        for side in sides:
            if times[side.name].failure is not None:
                continue
            try:
                taken = await _block(side, min(block, WARM_UP) if warming else block)
            except SideFailedError as error:
                times[side.name].failure = str(error)
                continue
            if not warming:
                times[side.name].all_ms += taken
        done = 0 if warming else done + block
    return times


async def _block(side: Side, count: int) -> list[float]:
    """The times of this many calls, whose effect is then checked."""
    taken = []
    if side.before is not None:
        await side.before()
    for _ in range(count):
        if side.out_of_step:
            await trio.sleep(random.uniform(0, FRAME_S))
        began = time.perf_counter()
        await side.call()
        taken.append((time.perf_counter() - began) * 1000)
    if side.check is not None:
        await side.check()
    return taken


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that this percentage of them do not exceed (nearest rank); NaN for no values."""
    if not values:
        return math.nan
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
