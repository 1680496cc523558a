"""Waiting for the events of a recording."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio

from kapture.changed import Changed
from kapture.page import Page
from kapture.page.recording.recording import AnsweredDialog, CapturedAction, Navigation, RanCommand, RecordedEvent


@attrs.define
class Recorded:
    """The events so far, in their order."""

    events: list[RecordedEvent] = attrs.field(factory=list)
    _changed: Changed = attrs.field(factory=Changed)

    def take(self, event: RecordedEvent) -> None:
        self.events.append(event)
        self._changed.notify()

    async def until(self, holds: Callable[[], Any]) -> Any:
        """Return the first true value of `holds`."""
        with trio.fail_after(30):
            while not (found := holds()):
                await self._changed.wait()
        return found

    def actions(self, command: str | None = None) -> list[CapturedAction]:
        """The person's actions, or those of one command."""
        actions = [event for event in self.events if isinstance(event, CapturedAction) and event.command]
        return [action for action in actions if command in (None, action.command)]

    def values(self, action: CapturedAction) -> list[str | None]:
        """Return the text typed for an action, step by step."""
        updates = [event for event in self.events if isinstance(event, CapturedAction) and event.id == action.id]
        return [update.value for update in updates if update is not action]

    @property
    def secrets(self) -> list[str | None]:
        """The values of secrets, as they grew."""
        return [event.secretValue for event in self.events if isinstance(event, CapturedAction)]

    async def action(self, command: str, number: int = 0) -> CapturedAction:
        """The so-and-so-many-th action of a command."""
        await self.until(lambda: len(self.actions(command)) > number)
        return self.actions(command)[number]

    @property
    def navigations(self) -> list[Navigation]:
        return [event for event in self.events if isinstance(event, Navigation)]

    @property
    def dialogs(self) -> list[AnsweredDialog]:
        return [event for event in self.events if isinstance(event, AnsweredDialog)]

    @property
    def commands(self) -> list[RanCommand]:
        return [event for event in self.events if isinstance(event, RanCommand)]


@asynccontextmanager
async def recording(page: Page) -> AsyncIterator[Recorded]:
    """Record a page for the length of the block."""
    recorded = Recorded()
    await page.recording.start(recorded.take)
    yield recorded
    await page.recording.stop()
