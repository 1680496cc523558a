"""Giving up in time to say what was seen.

The hub ends a command at its timeout. A command that waits for something gives up a moment earlier, so that its
own, fuller `COMMAND_TIMEOUT` is the answer.
"""

from __future__ import annotations

import trio

_SHARE = 0.05
_LEAST_S, _MOST_S = 0.1, 0.25


def before_timeout(most_s: float = _MOST_S) -> trio.CancelScope:
    """A scope that ends shortly before the command's own deadline; without one it never ends by itself.

    `most_s` is the margin on long timeouts, for work that takes its time to end; short ones keep a quarter at most.
    """
    now = trio.current_time()
    left = trio.current_effective_deadline() - now
    if left == float("inf"):
        return trio.CancelScope()
    margin = min(max(left * _SHARE, _LEAST_S, most_s - _MOST_S), most_s, max(left, 0) / 4)
    return trio.CancelScope(deadline=now + left - margin)


def remaining_ms() -> float:
    """Milliseconds to the nearest deadline in force; infinite without one."""
    return max(0.0, (trio.current_effective_deadline() - trio.current_time()) * 1000)
