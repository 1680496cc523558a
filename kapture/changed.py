"""A signal that something changed, for tasks that wait until a state holds."""

from __future__ import annotations

import trio


class Changed:
    """Wakes every task that waits for the next change. A change that nobody waits for is not kept.

        while not ready():
            await changed.wait()

    If the check itself awaits something, a change could be missed between check and wait; take the event first:

        upcoming = changed.upcoming
        if not await ready():
            await upcoming.wait()
    """

    def __init__(self) -> None:
        self._event = trio.Event()

    @property
    def upcoming(self) -> trio.Event:
        """The event that the next change sets."""
        return self._event

    def notify(self) -> None:
        """Wake every waiting task."""
        self._event.set()
        self._event = trio.Event()

    async def wait(self) -> None:
        """Return at the next change."""
        await self._event.wait()
