"""Why a page does not answer, so that no command can read it or act on it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import attrs
import trio

from kapture.backends.backend import Backend
from kapture.errors import KaptureError
from kapture.page.documents.read_gate import shown_address

ANSWERS_S = 0.5
"""A page that runs its tasks one after the other answers within this time."""

_LONG_MS = 2_000
"""After a shorter timeout the page is not asked: it would take as long again."""


@attrs.frozen
class Silence:
    """Why a page does not answer. `reason` completes the error's message, `advice` is a sentence of its hint."""

    reason: str
    advice: str
    data: Mapping[str, Any]


_BUSY = Silence(
    reason="the page does not answer, because one of its scripts keeps it busy",
    advice="End the script: navigate, or reload the page.",
    data={"busy": True},
)


async def silence_of(backend: Backend | None, timeout_ms: float) -> Silence | None:
    """Why the tab's page has not answered within this time: its server has not answered yet, or a script keeps it busy.

    None if it answers, or is blocked by what the hub reports in another way, and for tabs that execute commands
    themselves.
    """
    if backend is None or backend.current_page is None or backend.blocked is not None:
        return None
    page = backend.current_page
    if page.awaited.url is not None:
        url = shown_address(page.awaited.url, page.gate)
        return Silence(
            reason=f"the tab waits for {url}, whose server has not answered yet",
            advice="Leave the page: navigate to another one.",
            data={"waitsFor": url},
        )
    if timeout_ms < _LONG_MS:
        return None
    with suppress(KaptureError):  # there is no document now, or a dialog has opened
        reply = page.frames.main.ask()
        with trio.move_on_after(ANSWERS_S) as asking:
            await reply.wait()
        if asking.cancelled_caught:
            return _BUSY
    return None
