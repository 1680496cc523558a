"""The load events of a page that the browser restores from its back/forward cache.

The browser reports such a page with `Page.frameNavigated` alone: its document has been loaded long before. Clients that
wait for its load, as Playwright does in `page.go_back()`, know the cache only as switched off, and would wait in vain.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, TypeAlias

Event: TypeAlias = tuple[str, dict[str, Any]]

_EVENTS = (("DOMContentLoaded", "Page.domContentEventFired"), ("load", "Page.loadEventFired"))


class RestoredPages:
    """Of one script's session and those of its frames: None is its own."""

    def __init__(self) -> None:
        self._lifecycle: set[str | None] = set()  # the sessions that want lifecycle events

    def submitted(self, method: str, params: Mapping[str, Any], session_id: str | None) -> None:
        """The script has sent a command."""
        if method == "Page.setLifecycleEventsEnabled":
            (self._lifecycle.add if params.get("enabled") else self._lifecycle.discard)(session_id)

    def events_after(self, method: str, params: Mapping[str, Any], session_id: str | None) -> list[Event]:
        """What the script is shown after an event of the browser, as if the page had been loaded anew."""
        if method != "Page.frameNavigated" or params.get("type") != "BackForwardCacheRestore":
            return []
        frame = params["frame"]
        timestamp = time.monotonic()  # the browser's clock, on the systems where it has this one
        events: list[Event] = []
        for name, method_of_page in _EVENTS:
            events.append((method_of_page, {"timestamp": timestamp}))
            if session_id in self._lifecycle:
                lifecycle = {"frameId": frame["id"], "loaderId": frame["loaderId"], "name": name}
                events.append(("Page.lifecycleEvent", {**lifecycle, "timestamp": timestamp}))
        return events
