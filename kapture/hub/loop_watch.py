"""Measures the steps of the hub's loop: while one task runs, no other tab or client is answered."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import trio

WARN_S = 1.0
_LOG = logging.getLogger(__name__)


class LoopWatch(trio.abc.Instrument):
    """The longest step since the hub's start, and the task whose it was; a long one is logged."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.longest_s = 0.0
        self.task = ""
        self._began = float("inf")

    @contextmanager
    def watching(self) -> Iterator[LoopWatch]:
        """Measure for the length of the block."""
        trio.lowlevel.add_instrument(self)
        try:
            yield self
        finally:
            trio.lowlevel.remove_instrument(self)

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """Begin a step."""
        self._began = self._clock()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """End a step."""
        took = self._clock() - self._began
        if took > self.longest_s:
            self.longest_s, self.task = took, task.name
        if took > WARN_S:
            _LOG.warning("The task %s kept everybody waiting for %.1f s.", task.name, took)
