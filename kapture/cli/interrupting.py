"""Ending a program from outside."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """Take SIGTERM and a closed terminal for Ctrl-C during the block, so that what was started in it is ended, too.

    By default they end this process at once, and its hub and browser go on. Where one of them is ignored, as
    under `nohup`, it stays so. Ctrl-C does not: what the others do goes by way of it.
    """
    wanted = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {each: signal.getsignal(each) for each in wanted}
    heard = [each for each in wanted if before[each] is not signal.SIG_IGN]
    for each in heard:
        signal.signal(each, _interrupt)
    ctrl_c = signal.getsignal(signal.SIGINT)
    if ctrl_c is signal.SIG_IGN:  # as shells have it in the background, where Trio would not hear of it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for each in heard:
            signal.signal(each, before[each])
        signal.signal(signal.SIGINT, ctrl_c)


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGINT)
