"""Whether a page is kept busy by a script of its own, so that no command can read it or act on it."""

from __future__ import annotations

from contextlib import suppress

import trio

from kapture.backends.backend import Backend
from kapture.errors import KaptureError

ANSWERS_S = 0.5
"""A page that runs its tasks one after the other answers within this time."""


async def is_busy(backend: Backend | None) -> bool:
    """Whether the tab's page does not answer, though nothing that the hub knows of blocks it. False for tabs that
    execute commands themselves."""
    if backend is None or backend.current_page is None or backend.blocked is not None:
        return False
    with suppress(KaptureError):  # there is no document now, or a dialog has opened
        reply = backend.current_page.frames.main.ask()
        with trio.move_on_after(ANSWERS_S) as asking:
            await reply.wait()
        return asking.cancelled_caught
    return False
