"""Notifications through the SDK: on the connection of a 2025 handshake client, and on the `subscriptions/listen`
streams that a 2026-07-28 client has opened.
"""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from kapture.mcp.log import LogLevel
from kapture.mcp.notifier import LOGGER

_MAX_STREAMS = 64


class SdkNotifications:
    """`listen` serves `subscriptions/listen`; `connection` is set once a handshake client is ready."""

    def __init__(self) -> None:
        self.connection: ServerSession | None = None
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=_MAX_STREAMS)

    async def tools_changed(self) -> None:
        """Notify of a changed list of tools."""
        await self._bus.publish(ToolsListChanged())
        if self.connection is not None:
            await self.connection.send_tool_list_changed()

    async def resources_changed(self) -> None:
        """Notify of a changed list of resources."""
        await self._bus.publish(ResourcesListChanged())
        if self.connection is not None:
            await self.connection.send_resource_list_changed()

    async def resource_updated(self, uri: str, *, subscribed: bool) -> None:
        """Notify of a changed resource."""
        await self._bus.publish(ResourceUpdated(uri=uri))
        if self.connection is not None and subscribed:
            params = types.ResourceUpdatedNotificationParams(uri=uri)
            await self.connection.send_notification(types.ResourceUpdatedNotification(params=params))

    async def log(self, level: LogLevel, data: dict[str, Any]) -> None:
        """Send a log entry."""
        if self.connection is not None:
            params = types.LoggingMessageNotificationParams(level=level, logger=LOGGER, data=data)
            await self.connection.send_notification(types.LoggingMessageNotification(params=params))
