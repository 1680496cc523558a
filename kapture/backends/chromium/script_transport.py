"""The transport of a script's own session of a tab, beside the session by which the hub has the tab's page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import trio

from kapture.cdp import CdpCommand, CdpTransport, PendingReply, run_program
from kapture.cdp.session_settings import Settings
from kapture.errors import KaptureError
from kapture.page.screencast import Screencast


class ScriptTransport:
    """`check_closing` raises if the tab may not be closed; `screencast` is the hub's own, None without a page."""

    def __init__(
        self,
        transport: CdpTransport,
        nursery: trio.Nursery,
        check_closing: Callable[[], None],
        screencast: Callable[[], Screencast | None],
    ) -> None:
        self._transport = transport
        self._nursery = nursery
        self._check_closing = check_closing
        self._screencast = screencast
        self._settings = Settings()

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send one command."""
        if method == "Page.close":
            self._check_closing()
        self._settings.sent(self, method, params, session_id)
        reply = self._transport.submit(method, params, session_id)
        if method == "Page.captureScreenshot" and (screencast := self._screencast()) is not None:
            self._nursery.start_soon(_draw, screencast, reply)
        return reply

    def leave(self) -> None:
        """Undo what would stay when the session ends."""
        with suppress(KaptureError):  # the connection has ended
            for call in self._settings.leave(self, session_ends=True):
                self._transport.submit(*call)

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Send a program, one command at a time."""
        run_program(self.submit, commands)


async def _draw(screencast: Screencast, reply: PendingReply) -> None:
    """Have the tab drawn for a picture: a hidden one would not be."""
    with suppress(KaptureError):  # the script's to see
        await screencast.when_drawn(reply)
