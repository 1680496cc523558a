"""Giving up in time to report what was seen.

The hub ends a command at its timeout. A command that waits for something gives up a moment before that, so that its
own, more detailed `COMMAND_TIMEOUT` is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import trio

_SHARE = 0.05
_LEAST_S, _MOST_S = 0.1, 0.25


@attrs.define
class Patience:
    """`ran_out`: whether the block was given up; known when it has ended."""

    ran_out: bool = False


@contextmanager
def before_timeout(most_s: float = _MOST_S) -> Iterator[Patience]:
    """Give up the block shortly before the command's own deadline, and go on after it; without a deadline, never.

    `most_s` is the margin on long timeouts, for work that takes its time to end; short ones keep a quarter at most.

    On a busy machine both deadlines can pass in one turn of the event loop. The cancellation then belongs to the
    outer scope, and ends the block all the same: what follows without a checkpoint still runs, so that the command's
    own error is the answer. Trio cancels again at the next checkpoint. Any other cancellation passes through.
    """
    deadline = trio.current_effective_deadline()
    patience = Patience()
    scope = trio.CancelScope(deadline=deadline - _margin(deadline - trio.current_time(), most_s))
    try:
        with scope:
            yield patience
    except (trio.Cancelled, BaseExceptionGroup) as error:
        if trio.current_time() < deadline or not _is_cancellation(error):
            raise
        patience.ran_out = True
    else:
        patience.ran_out = scope.cancelled_caught


def timeout_to_wait(wait_ms: float) -> float:
    """The timeout, in milliseconds, of a command that is to wait for `wait_ms` before it gives up."""
    return wait_ms + min(max(wait_ms * _SHARE / (1 - _SHARE), _LEAST_S * 1000), _MOST_S * 1000, wait_ms / 3)


def _margin(left: float, most_s: float) -> float:
    """Seconds to give up before a timeout that is `left` seconds away."""
    return min(max(left * _SHARE, _LEAST_S, most_s - _MOST_S), most_s, max(left, 0) / 4)


def _is_cancellation(error: BaseException) -> bool:
    """Whether it is nothing else; Trio's nurseries raise a group."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_cancellation, error.exceptions))
    return isinstance(error, trio.Cancelled)


def remaining_ms() -> float:
    """Milliseconds to the nearest deadline in force; infinite without one."""
    return max(0.0, (trio.current_effective_deadline() - trio.current_time()) * 1000)
