"""Notifications of one session: changes of tools and resources, and the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Protocol

import msgspec
import trio
from msgspec import Raw

from kapture.hub import Hub, HubEvent
from kapture.mcp import resources
from kapture.mcp.log import Log, LogLevel

LOGGER = "kapture"
_MAX_SUBSCRIPTIONS = 256


class _Subscription(msgspec.Struct):
    """The parameters of `resources/subscribe` and `resources/unsubscribe`."""

    uri: str


_SUBSCRIPTION = msgspec.json.Decoder(_Subscription)


class Notifications(Protocol):
    """Sends notifications to a client."""

    async def tools_changed(self) -> None:
        """Notify of a changed list of tools."""

    async def resources_changed(self) -> None:
        """Notify of a changed list of resources."""

    async def resource_updated(self, uri: str, *, subscribed: bool) -> None:
        """Notify of a changed resource. `subscribed`: the client's handshake session has subscribed to it."""

    async def log(self, level: LogLevel, data: dict[str, Any]) -> None:
        """Send a log entry."""


class Notifier:
    """Notifies the client of one session of changes in the hub. `usable_tools` returns a value that differs when the
    list of tools differs."""

    def __init__(self, hub: Hub, usable_tools: Callable[[], tuple[object, ...]]) -> None:
        self.log = Log()
        self._hub = hub
        self._usable_tools = usable_tools
        self._listed_tools = usable_tools()
        self._subscribed: set[str] = set()

    def take(self, method: str, params: Raw) -> bool:
        """Begin or end a subscription as the client asks for it; returns False if it must be refused, which takes the
        SDK."""
        try:
            uri = _SUBSCRIPTION.decode(params).uri
        except (msgspec.MsgspecError, RecursionError):
            return False
        if resources.split(uri) is None:
            return False
        if method == "resources/unsubscribe":
            self.unsubscribe(uri)
        elif self._is_full_for(uri):
            return False
        else:
            self._subscribed.add(uri)
        return True

    def _is_full_for(self, uri: str) -> bool:
        return len(self._subscribed) >= _MAX_SUBSCRIPTIONS and uri not in self._subscribed

    def subscribe(self, uri: str) -> None:
        """Notify the client of changes of this resource; MCP's error if there is no such resource."""
        resources.check(uri)
        if self._is_full_for(uri):
            import mcp_types as types
            from mcp.shared.exceptions import MCPError

            raise MCPError(code=types.INVALID_PARAMS, message=f"There are already {_MAX_SUBSCRIPTIONS} subscriptions.")
        self._subscribed.add(uri)

    def unsubscribe(self, uri: str) -> None:
        """End a subscription."""
        self._subscribed.discard(uri)

    async def run(self, client: Notifications) -> None:
        """Notify of the hub's events, until cancelled.

        Events that arrive together are handled together: with many tabs, listing all of them for each would be too
        slow.
        """
        async with self._hub.subscribe() as events:
            async for event in events:
                await self._notify(client, [event, *_waiting(events)])

    async def _notify(self, client: Notifications, events: Sequence[HubEvent]) -> None:
        if any(event.kind != "console" for event in events) and (usable := self._usable_tools()) != self._listed_tools:
            self._listed_tools = usable
            await client.tools_changed()
        if any(resources.changes_list(event) for event in events):
            await client.resources_changed()
        for uri in dict.fromkeys(uri for event in events for uri in resources.touched(event)):
            await client.resource_updated(uri, subscribed=uri in self._subscribed)
        for event in events:
            if (entry := self.log.entry(event)) is not None:
                await client.log(*entry)


def _waiting(events: trio.MemoryReceiveChannel[HubEvent]) -> Iterator[HubEvent]:
    """The events that have arrived already."""
    with suppress(trio.WouldBlock, trio.EndOfChannel):
        while True:
            yield events.receive_nowait()
