"""Whether the site of a page has databases (IndexedDB)."""

from __future__ import annotations

from contextlib import suppress

import trio

from kapture.errors import KaptureError
from kapture.page.documents.frames import FrameTree

_HOLDS_S = 2.0


class Databases:
    """The databases of the documents in these frames that may be read.

    Asking takes the browser several milliseconds. That there are some holds as long as the documents stay; that there
    are none is asked again after two seconds.
    """

    def __init__(self, frames: FrameTree) -> None:
        self._frames = frames
        self._documents: frozenset[str] = frozenset()
        self._exist = False
        self._asked_at = 0.0

    async def exist(self) -> bool:
        """Whether there are any."""
        frames = [frame for frame in self._frames.all() if frame.granted and not frame.why_silent]
        documents = frozenset(frame.loader_id for frame in frames)
        now = trio.current_time()
        if documents != self._documents or not (self._exist or now < self._asked_at + _HOLDS_S):
            self._exist = False
            for frame in frames:
                with suppress(KaptureError):  # the document went away
                    if await frame.call("hasDatabases"):
                        self._exist = True
                        break
            self._documents, self._asked_at = documents, now
        return self._exist
