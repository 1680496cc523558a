"""Has a tab drawn while a script waits for a picture of it.

Chromium draws no hidden tab, and may answer `Page.captureScreenshot` only when somebody looks at the tab. It does draw
one that has a screencast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from kapture.cdp import PendingReply
from kapture.errors import KaptureError
from kapture.page.screencast import TINY

_START, _STOP = "Page.startScreencast", "Page.stopScreencast"


class ForcedDrawing:
    """`submit` sends a command on the tab's session; `watched` says whether a script has a screencast of its own."""

    def __init__(
        self, submit: Callable[[str, Mapping[str, Any], str | None], PendingReply], watched: Callable[[], bool]
    ) -> None:
        self._submit = submit
        self._watched = watched
        self._waiting = 0

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send a command of a script, which may request a picture or end the script's screencast."""
        if session_id is not None:
            return self._submit(method, params, session_id)
        if method == "Page.captureScreenshot":
            self._waiting += 1
            if self._waiting == 1 and not self._watched():
                self._submit(_START, TINY, None)
        reply = self._submit(method, params, None)
        if method == "Page.captureScreenshot":
            reply.then(lambda _: self._taken())
        elif method == _STOP and self._waiting:
            self._submit(_START, TINY, None)
        return reply

    def _taken(self) -> None:
        self._waiting -= 1
        if not self._waiting and not self._watched():
            with suppress(KaptureError):  # the session has ended, and the screencast with it
                self._submit(_STOP, {}, None)
