"""The debugger leaves the tab of an extension on which nobody works, so that the browser's bar goes.

The tab stays connected; its next command attaches again. Meanwhile its console and requests are not recorded, and refs
and marks of before are void.
"""

from __future__ import annotations

import trio

from kapture.backends.extension.extension import ExtensionBackend
from kapture.commands.emulation import is_emulated
from kapture.hub.pins import Pins
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import Tab
from kapture.page import Page


async def detach_when_idle(state: HubState, tab: Tab, backend: ExtensionBackend, pins: Pins) -> None:
    """Detach whenever no command has run on the tab for the time that is set, until cancelled."""
    idle_s = state.settings.limits.idle_detach_ms / 1_000
    if idle_s == 0 or not backend.can_rest:
        return
    tab.used_at = trio.current_time()
    while True:
        await trio.sleep_until(max(tab.used_at, trio.current_time() if _in_use(tab) else 0) + idle_s)
        page = backend.current_page
        quiet = trio.current_time() >= tab.used_at + idle_s and not _in_use(tab)
        if quiet and page is not None and not _needed(page) and not pins.has(tab):
            backend.rest()
            state.events.publish("tab_changed", tab.tab_id)
        elif quiet:
            tab.used_at = trio.current_time()  # look again after the same time


def _in_use(tab: Tab) -> bool:
    return not tab.idle or tab.backend is None or tab.backend.traffic.pending_requests > 0


def _needed(page: Page) -> bool:
    """Whether something holds only as long as the debugger is attached."""
    return (
        page.dialogs.current is not None
        or page.dialogs.policy != "ask"
        or page.recording.active
        or len(page.routes) > 0
        or page.network_conditions.in_force
        or page.client_settings.in_force
        or page.screencast.watched
        or is_emulated(page)
        or any(buffer.methods for buffer in page.subscriptions)
    )
