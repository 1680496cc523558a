"""Batches the commands that have ended on a tab, for its panel, so that a quick sequence is sent in few messages."""

from __future__ import annotations

from collections import deque

import trio

from kapture.backends.outbox import Outbox
from kapture.changed import Changed
from kapture.wire.codec import encode
from kapture.wire.panel_messages import Activity, EndedCommand

GATHER_MS = 100
_SHOWN = 100  # the panel keeps no more


class EndedCommands:
    """The commands that have ended on one tab and have not been sent to its panel yet."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._waiting: deque[EndedCommand] = deque(maxlen=_SHOWN)
        self._added = Changed()

    def add(self, ended: EndedCommand, *, at_once: bool) -> None:
        """Send it soon, or now. If the tab reads too slowly, some are dropped."""
        self._waiting.append(ended)
        if at_once:
            self.send()
        else:
            self._added.notify()

    async def run(self) -> None:
        """Send batches until cancelled."""
        while True:
            while not self._waiting:
                await self._added.wait()
            await trio.sleep(GATHER_MS / 1_000)
            self.send()

    def send(self) -> None:
        """Send the current batch now."""
        if self._waiting:
            self._outbox.offer(encode(Activity(entries=list(self._waiting))))
            self._waiting.clear()
