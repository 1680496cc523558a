"""A rate limit: how many events there may be in a time window."""

from __future__ import annotations

from collections import deque

import trio


class RateLimit:
    """Allows `count` events within any `window_ms` milliseconds."""

    def __init__(self, count: int, window_ms: float) -> None:
        self._count = count
        self._window_s = window_ms / 1_000
        self._times: deque[float] = deque(maxlen=count + 1)

    def exceeded(self) -> bool:
        """Count an event that happens now. Returns whether there have been too many."""
        now = trio.current_time()
        self._times.append(now)
        return len(self._times) > self._count and now - self._times[0] <= self._window_s
