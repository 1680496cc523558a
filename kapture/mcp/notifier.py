"""Notifications of one session: changes of tools and resources, and the log.

They are sent on the connection of a 2025 handshake client, and on the `subscriptions/listen` streams that 2026-07-28
clients have opened. A log entry is a tab that connects or disconnects, at the level that the client has set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

import mcp_types as types
import trio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from kapture.hub import Hub, HubEvent
from kapture.mcp import resources

_MAX_SUBSCRIPTIONS = 256
_MAX_STREAMS = 64
_SEVERITIES: tuple[types.LoggingLevel, ...] = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
_LEVELS: Mapping[str, types.LoggingLevel] = {
    "tab_connected": "info",
    "tab_changed": "debug",
    "tab_disconnected": "info",
    "tab_gone": "notice",
    "grant_changed": "notice",
}


class Notifier:
    """Notifies the client of one session of changes in the hub. `page_tools` returns a value that differs when the
    tools of pages in the list of tools differ.

    `connection` is set once a handshake client is ready; `listen` serves `subscriptions/listen`; no log entry below
    `log_level` is sent. `browser`: the one whose tabs the client sees, if it is bound to one.
    """

    def __init__(self, hub: Hub, page_tools: Callable[[], tuple[object, ...]], browser: str = "") -> None:
        self.log_level: types.LoggingLevel = "warning"
        self.connection: ServerSession | None = None
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=_MAX_STREAMS)
        self._hub = hub
        self._browser = browser
        self._page_tools = page_tools
        self._listed_tools = page_tools()
        self._subscribed: set[str] = set()

    def subscribe(self, uri: str) -> None:
        """Notify the client of changes of this resource; MCP's error if there is no such resource."""
        resources.check(uri)
        if len(self._subscribed) >= _MAX_SUBSCRIPTIONS and uri not in self._subscribed:
            raise MCPError(code=types.INVALID_PARAMS, message=f"There are already {_MAX_SUBSCRIPTIONS} subscriptions.")
        self._subscribed.add(uri)

    def unsubscribe(self, uri: str) -> None:
        """End a subscription."""
        self._subscribed.discard(uri)

    async def run(self) -> None:
        """Notify of the hub's events, until cancelled.

        Events that arrive together are handled together: with many tabs, listing all of them for each would be too
        slow.
        """
        async with self._hub.subscribe() as events:
            async for event in events:
                await self._notify([event, *_waiting(events)])

    async def _notify(self, events: Sequence[HubEvent]) -> None:
        if self._browser:
            events = [e for e in events if e.tab_id is None or self._hub.in_browser(e.tab_id, self._browser)]
        if any(event.kind != "console" for event in events) and (listed := self._page_tools()) != self._listed_tools:
            self._listed_tools = listed
            await self._bus.publish(ToolsListChanged())
            if self.connection is not None:
                await self.connection.send_tool_list_changed()
        if any(resources.changes_list(event) for event in events):
            await self._bus.publish(ResourcesListChanged())
            if self.connection is not None:
                await self.connection.send_resource_list_changed()
        for uri in dict.fromkeys(uri for event in events for uri in resources.touched(event)):
            await self._bus.publish(ResourceUpdated(uri=uri))
            if self.connection is not None and uri in self._subscribed:
                await self.connection.send_resource_updated(uri)
        for event in events:
            await self._log(event)

    async def _log(self, event: HubEvent) -> None:
        """Send the event's log entry, if it has one. It never contains text of a page."""
        level = _LEVELS.get(event.kind)
        if self.connection is None or level is None:
            return
        if _SEVERITIES.index(level) >= _SEVERITIES.index(self.log_level):
            data = {"event": event.kind, **({"tabId": event.tab_id} if event.tab_id else {})}
            params = types.LoggingMessageNotificationParams(level=level, logger="kapture", data=data)
            await self.connection.send_notification(types.LoggingMessageNotification(params=params))


def _waiting(events: trio.MemoryReceiveChannel[HubEvent]) -> Iterator[HubEvent]:
    """The events that have arrived already."""
    with suppress(trio.WouldBlock, trio.EndOfChannel):
        while True:
            yield events.receive_nowait()
