"""A recorder whose recordings the test sets."""

from __future__ import annotations

from kapture.changed import Changed
from kapture.commands.core.recorder import RecordingState


class FakeRecorder:
    """Returns the recordings set by the test, by tab id."""

    def __init__(self) -> None:
        self._changed = Changed()
        self._recordings: dict[str, RecordingState | None] = {}
        self._offered: set[str] = set()

    @property
    def changed(self) -> Changed:
        return self._changed

    def state(self, tab_id: str) -> RecordingState | None:
        return self._recordings.get(tab_id)

    def is_offered(self, tab_id: str) -> bool:
        return tab_id in self._offered

    def offer(self, tab_id: str) -> None:
        self._offered.add(tab_id)
        self._changed.notify()

    def withdraw(self, tab_id: str) -> None:
        self._offered.discard(tab_id)
        self._changed.notify()

    def becomes(self, tab_id: str, state: RecordingState | None) -> None:
        self._recordings[tab_id] = state
        self._changed.notify()
