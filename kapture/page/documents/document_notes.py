"""Notes of what the frames of a tab come to show while something is done, also of what is gone again at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kapture.page.documents.frame import Frame
from kapture.page.documents.read_gate import NOBODY

DocumentNote = tuple[str, str, str]
"""Frame id, loader id, and the URL that decides about the document; `NOBODY` if its process has not reported it yet."""


class DocumentNotes:
    """The notes of one tab."""

    def __init__(self) -> None:
        self._open: list[list[DocumentNote]] = []

    @contextmanager
    def during(self) -> Iterator[list[DocumentNote]]:
        """Note every new document during the block."""
        notes: list[DocumentNote] = []
        self._open.append(notes)
        try:
            yield notes
        finally:
            self._open = [one for one in self._open if one is not notes]

    def came(self, frame: Frame) -> None:
        """A frame shows a new document."""
        for notes in self._open:
            notes.append((frame.id, frame.loader_id, frame.policy_url))

    def announced(self, frame_id: str) -> None:
        """A frame has a process of its own, which has not reported its document yet."""
        for notes in self._open:
            notes.append((frame_id, "", NOBODY))
