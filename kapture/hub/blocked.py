"""What a dialog does to the commands of its tab: those that wait fail, and the one that it holds up ends."""

from __future__ import annotations

import trio

from kapture.backends.backend import Backend
from kapture.errors import KaptureError
from kapture.hub.running import Running
from kapture.hub.tab import Tab


class BlockedTab:
    """One tab while one backend serves it. `grace_ms`: how long the running command may still end by itself."""

    def __init__(self, nursery: trio.Nursery, tab: Tab, backend: Backend, grace_ms: float) -> None:
        self._nursery = nursery
        self._tab = tab
        self._backend = backend
        self._grace_ms = grace_ms

    def on_blocked(self, error: KaptureError) -> None:
        """A dialog is open: nothing that waits can run now."""
        self._tab.fail_waiting(error)
        # A script answers the dialogs of its tab itself.
        if self._tab.running is not None and self._tab.script is None:
            self._nursery.start_soon(self._unblock, self._tab.running)

    async def _unblock(self, running: Running) -> None:
        """A command that a dialog holds up ends with `DIALOG_OPEN`, unless it is about to end by itself."""
        await trio.sleep(self._grace_ms / 1_000)
        tab, backend = self._tab, self._backend
        if tab.backend is backend and tab.running is running and (error := backend.blocked) is not None:
            running.fail(error)
