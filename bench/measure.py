"""Timing: medians of calls that wait for their answers."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

WARM_UP = 3


async def median_ms(call: Callable[[], Awaitable[Any]], runs: int) -> float:
    """The median duration of one call, in milliseconds, after a few that do not count."""
    for _ in range(WARM_UP):
        await call()
    taken = []
    for _ in range(runs):
        begin = time.perf_counter()
        await call()
        taken.append((time.perf_counter() - begin) * 1000)
    return statistics.median(taken)
