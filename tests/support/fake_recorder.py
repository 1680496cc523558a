"""A recorder whose recordings the test sets."""

from __future__ import annotations

from kapture.changed import Changed
from kapture.commands.core.recorder import RecordingState


class FakeRecorder:
    """Returns the recordings set by the test, by tab id."""

    def __init__(self) -> None:
        self._changed = Changed()
        self._recordings: dict[str, RecordingState | None] = {}

    @property
    def changed(self) -> Changed:
        return self._changed

    def state(self, tab_id: str) -> RecordingState | None:
        return self._recordings.get(tab_id)

    def becomes(self, tab_id: str, state: RecordingState | None) -> None:
        self._recordings[tab_id] = state
        self._changed.notify()
