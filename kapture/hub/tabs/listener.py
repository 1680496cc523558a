"""The hub's reactions to events of a tab: commands end, and listeners get events."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import trio

from kapture.backends.backend import Backend, TabListener
from kapture.errors import KaptureError
from kapture.hub.call import Call
from kapture.hub.events import EventKind
from kapture.hub.tabs.tab import Tab

Publish: TypeAlias = Callable[[EventKind, str], None]


class HubListener(TabListener):
    """Ends what a dialog or a lost debugger blocks on one tab, and publishes its events. `grace_ms`: how long the
    command that a dialog blocks may still end by itself."""

    def __init__(self, nursery: trio.Nursery, tab: Tab, backend: Backend, grace_ms: float, publish: Publish) -> None:
        self._nursery = nursery
        self._tab = tab
        self._backend = backend
        self._grace_ms = grace_ms
        self._publish = publish

    def blocked(self, error: KaptureError) -> None:
        """Fail what waits, because a dialog is open, and the running command after the grace period."""
        self._tab.fail_waiting(error)
        # A script answers the dialogs of its tab itself.
        if self._tab.running is not None and self._tab.script is None:
            self._nursery.start_soon(self._unblock, self._tab.running)

    def changed(self) -> None:
        """Publish that the tab's URL or title may be another one."""
        self._publish("tab_changed", self._tab.tab_id)

    def console(self) -> None:
        """Publish that the page has logged something."""
        self._publish("console", self._tab.tab_id)

    def page_tools(self) -> None:
        """Publish that the tools of the tab's pages have changed."""
        self._publish("page_tools", self._tab.tab_id)

    def detached(self, error: KaptureError) -> None:
        """End what runs on the tab."""
        self._tab.fail_running(error)

    async def _unblock(self, running: Call) -> None:
        """End the command that the dialog blocks with `DIALOG_OPEN`, unless it ends by itself in time."""
        await trio.sleep(self._grace_ms / 1_000)
        tab, backend = self._tab, self._backend
        if tab.backend is backend and tab.running is running and (error := backend.blocked) is not None:
            running.fail(error)
