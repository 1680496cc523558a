"""Detection of floods: too many events in too short a time."""

from __future__ import annotations

from collections import deque

import trio


class FloodLimit:
    """Counts events; more than `count` within `window_ms` are a flood."""

    def __init__(self, count: int, window_ms: float) -> None:
        self._count = count
        self._window_s = window_ms / 1_000
        self._times: deque[float] = deque(maxlen=count + 1)

    def reached(self) -> bool:
        """Count an event that happens now. Returns whether it makes a flood."""
        now = trio.current_time()
        self._times.append(now)
        return len(self._times) > self._count and now - self._times[0] <= self._window_s
