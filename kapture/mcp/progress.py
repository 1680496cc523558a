"""Progress notifications: what a command reports, and one each second when it reports nothing."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import trio

from kapture.background import running_beside
from kapture.commands.core.context import Progress

PULSE_MS = 1_000

SendProgress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends a progress notification: how much is done, of how much, and what is being done."""

logger = logging.getLogger(__name__)


class Reporter:
    """The `Progress` of one call. It makes the values grow, as the protocol requires."""

    def __init__(self, send: SendProgress, name: str) -> None:
        self._send_progress = send
        self._name = name
        self._sent = 0.0
        self._reported = False
        self._broken = False

    async def __call__(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report `done` of `total`, in any unit."""
        self._reported = True
        await self._send(done, total, message)

    async def _send(self, done: float, total: float | None, message: str) -> None:
        if self._broken:
            return
        self._sent = done if done > self._sent else self._sent + 1e-6
        try:
            await self._send_progress(self._sent, total, message or None)
        except Exception:
            # A report that cannot be sent must not fail the command.
            self._broken = True
            logger.exception("progress of %s could not be reported", self._name)

    async def pulse(self) -> None:
        """Report each second that the call is running, until it reports progress itself. Runs until cancelled."""
        start = trio.current_time()
        while True:
            await trio.sleep(PULSE_MS / 1000)
            if self._reported or self._broken:
                return
            seconds = round(trio.current_time() - start)
            # Below the first step that a command reports, so that its own reports can follow.
            await self._send(1 - 1 / (1 + seconds), None, f"{self._name}: {seconds} s")


async def _silence(done: float, total: float | None = None, message: str = "") -> None:
    """The `Progress` of a call whose client wants none."""


@asynccontextmanager
async def report_progress(send: SendProgress | None, name: str) -> AsyncIterator[Progress]:
    """A `Progress` for the block, without any cost if the client wants none (`send` None)."""
    if send is None:
        yield _silence
        return
    reporter = Reporter(send, name)
    async with running_beside(reporter.pulse):
        yield reporter
