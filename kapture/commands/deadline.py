"""Giving up in time to say what was seen.

The hub ends a command at its timeout. A command that waits for something gives up a moment earlier, so that its
own, fuller `COMMAND_TIMEOUT` is the answer.
"""

from __future__ import annotations

import trio

_SHARE = 0.05
_MOST_S = 0.25


def before_timeout() -> trio.CancelScope:
    """A scope that ends shortly before the command's own deadline (`cancelled_caught` tells)."""
    now = trio.current_time()
    left = trio.current_effective_deadline() - now
    return trio.CancelScope(deadline=now + left - min(_MOST_S, left * _SHARE) if left != float("inf") else left)


def remaining_ms() -> float:
    """Milliseconds to the nearest deadline in force; infinite without one."""
    return max(0.0, (trio.current_effective_deadline() - trio.current_time()) * 1000)
