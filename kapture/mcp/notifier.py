"""Notifications of one session: tools and resources that change, and the log.

A 2025 handshake client is notified on its connection, a 2026-07-28 client on the `subscriptions/listen` streams that
it has opened.
"""

from __future__ import annotations

from collections.abc import Callable

import mcp_types as types
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from kapture.hub import Hub, HubEvent
from kapture.mcp import resources
from kapture.mcp.log import Log

_MAX_SUBSCRIPTIONS = 256
_MAX_STREAMS = 64


class Notifier:
    """Tells the clients of one session what changes in the hub. `usable_tools` gives the names of the tools listed."""

    def __init__(self, hub: Hub, usable_tools: Callable[[], tuple[str, ...]]) -> None:
        self.log = Log()
        self.connection: ServerSession | None = None  # of a handshake client
        self._hub = hub
        self._usable_tools = usable_tools
        self._listed_tools = usable_tools()
        self._subscribed: set[str] = set()
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=_MAX_STREAMS)

    def subscribe(self, uri: str) -> None:
        """Notify the client of changes of this resource; the protocol's error when there is no such resource."""
        resources.check(uri)
        if len(self._subscribed) >= _MAX_SUBSCRIPTIONS and uri not in self._subscribed:
            raise MCPError(code=types.INVALID_PARAMS, message=f"There are already {_MAX_SUBSCRIPTIONS} subscriptions.")
        self._subscribed.add(uri)

    def unsubscribe(self, uri: str) -> None:
        """End a subscription."""
        self._subscribed.discard(uri)

    async def run(self) -> None:
        """Notify of every event of the hub, until cancelled."""
        async with self._hub.subscribe() as events:
            async for event in events:
                await self._notify(event)

    async def _notify(self, event: HubEvent) -> None:
        usable = self._listed_tools if event.kind == "console" else self._usable_tools()
        if usable != self._listed_tools:
            self._listed_tools = usable
            await self._publish(ToolsListChanged())
        if resources.changes_list(event):
            await self._publish(ResourcesListChanged())
        for uri in resources.touched(event):
            await self._publish(ResourceUpdated(uri=uri))
        entry = self.log.entry(event)
        if entry is not None and self.connection is not None:
            await self.connection.send_notification(entry)

    async def _publish(self, event: ServerEvent) -> None:
        await self._bus.publish(event)
        if self.connection is None:
            return
        if isinstance(event, ToolsListChanged):
            await self.connection.send_tool_list_changed()
        elif isinstance(event, ResourcesListChanged):
            await self.connection.send_resource_list_changed()
        elif isinstance(event, ResourceUpdated) and event.uri in self._subscribed:
            await self.connection.send_notification(
                types.ResourceUpdatedNotification(params=types.ResourceUpdatedNotificationParams(uri=event.uri))
            )
