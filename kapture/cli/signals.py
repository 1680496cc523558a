"""Signals that end a program: SIGTERM and SIGHUP are handled like Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """Handle SIGTERM and SIGHUP (a closed terminal) like Ctrl-C during the block, so that what it started ends, too.

    By default they end this process at once, and its hub and browser go on. One of them that is ignored, as under
    `nohup`, stays ignored. Ctrl-C does not, because the others are handled by raising it.
    """
    wanted = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {each: signal.getsignal(each) for each in wanted}
    heard = [each for each in wanted if before[each] is not signal.SIG_IGN]
    for each in heard:
        signal.signal(each, _interrupt)
    ctrl_c = signal.getsignal(signal.SIGINT)
    if ctrl_c is signal.SIG_IGN:  # as in a shell's background jobs: Trio would not get it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for each in heard:
            signal.signal(each, before[each])
        signal.signal(signal.SIGINT, ctrl_c)


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGINT)
