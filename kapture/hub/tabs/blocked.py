"""How a dialog ends the commands of its tab: waiting commands fail at once, the running one after a grace period."""

from __future__ import annotations

import trio

from kapture.backends.backend import Backend
from kapture.errors import KaptureError
from kapture.hub.call import Call
from kapture.hub.tabs.tab import Tab


class BlockedTab:
    """Ends the commands of one tab that a dialog blocks. `grace_ms`: how long the running one may still end by
    itself."""

    def __init__(self, nursery: trio.Nursery, tab: Tab, backend: Backend, grace_ms: float) -> None:
        self._nursery = nursery
        self._tab = tab
        self._backend = backend
        self._grace_ms = grace_ms

    def on_blocked(self, error: KaptureError) -> None:
        """Fail what waits, because a dialog is open, and the running command after the grace period."""
        self._tab.fail_waiting(error)
        # A script answers the dialogs of its tab itself.
        if self._tab.running is not None and self._tab.script is None:
            self._nursery.start_soon(self._unblock, self._tab.running)

    async def _unblock(self, running: Call) -> None:
        """End the command that the dialog blocks with `DIALOG_OPEN`, unless it ends by itself in time."""
        await trio.sleep(self._grace_ms / 1_000)
        tab, backend = self._tab, self._backend
        if tab.backend is backend and tab.running is running and (error := backend.blocked) is not None:
            running.fail(error)
