"""Batches the commands that have ended on a tab, for its panel, so that a quick sequence is sent in few messages.

All tabs of a hub share one task and one timer: with a task for each, a command took a tenth more function calls.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import trio

from kapture.backends.outbox import Outbox
from kapture.changed import Changed
from kapture.wire.codec import encode
from kapture.wire.panel_messages import Activity, EndedCommand

GATHER_MS = 100
_SHOWN = 100  # the panel keeps no more


class EndedCommands:
    """The commands that have ended on one tab and have not been sent to its panel yet.

    `schedule` is called with it when a new batch begins: `EndedBatches.add` of the tab's hub.
    """

    def __init__(self, outbox: Outbox) -> None:
        self.schedule: Callable[[EndedCommands], None] = lambda _: None
        self._outbox = outbox
        self._waiting: deque[EndedCommand] = deque(maxlen=_SHOWN)

    def add(self, ended: EndedCommand, *, at_once: bool) -> None:
        """Send it soon, or now. If the tab reads too slowly, some are dropped."""
        begins = not self._waiting
        self._waiting.append(ended)
        if at_once:
            self.send()
        elif begins:
            self.schedule(self)

    def send(self) -> None:
        """Send the current batch now."""
        if self._waiting:
            self._outbox.offer(encode(Activity(entries=list(self._waiting))))
            self._waiting.clear()


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
