"""Batches the commands that have ended on a tab, and those that run, for its panel: a quick sequence is few messages.

All tabs of a hub share one task and one timer: with a task for each, a command took a tenth more function calls.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import trio

from kapture.backends.outbox import Outbox
from kapture.changed import Changed
from kapture.wire.codec import encode
from kapture.wire.panel_messages import Activity, EndedCommand, RunningCommand

GATHER_MS = 100
_SHOWN = 100  # the panel keeps no more


class EndedCommands:
    """The commands that have ended on one tab and have not been sent to its panel yet, and those that run.

    `schedule` is called with it when a new batch begins: `EndedBatches.add` of the tab's hub.
    """

    def __init__(self, outbox: Outbox) -> None:
        self.schedule: Callable[[EndedCommands], None] = lambda _: None
        self._outbox = outbox
        self._waiting: deque[EndedCommand] = deque(maxlen=_SHOWN)
        self._running: dict[str, RunningCommand] = {}  # by the name of the call
        self._sent: list[RunningCommand] = []
        self._scheduled = False

    def add(self, ended: EndedCommand, *, at_once: bool) -> None:
        """Send it soon, or now. If the tab reads too slowly, some are dropped."""
        self._running.pop(ended.call, None)
        self._waiting.append(ended)
        if at_once:
            self.send()
        else:
            self._send_soon()

    def begun(self, call: str, command: RunningCommand) -> None:
        """Note that a command runs; a step stands for the whole call. One that ends at once is never shown."""
        self._running[call] = command
        self._send_soon()

    def _send_soon(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self.schedule(self)

    def send(self) -> None:
        """Send the current batch now."""
        self._scheduled = False
        running = list(self._running.values())[:_SHOWN]
        if self._waiting or running != self._sent:
            self._outbox.offer(encode(Activity(entries=list(self._waiting), running=running)))
            self._waiting.clear()
            self._sent = running


class EndedBatches:
    """Sends the batches of all tabs of one hub, each at most `GATHER_MS` after its first command has ended."""

    def __init__(self) -> None:
        self._due: list[EndedCommands] = []
        self._added = Changed()

    def add(self, ended: EndedCommands) -> None:
        """Send this tab's batch soon."""
        self._due.append(ended)
        self._added.notify()

    async def run(self) -> None:
        """Send batches until cancelled."""
        while True:
            while not self._due:
                await self._added.wait()
            await trio.sleep(GATHER_MS / 1_000)
            due, self._due = self._due, []
            for ended in due:
                ended.send()
