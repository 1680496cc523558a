"""Events of the hub: each listener has a bounded buffer, and publishing never waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal, TypeAlias

import attrs
import trio

from kapture.changed import Changed

EventKind: TypeAlias = Literal[
    "tab_connected",
    "tab_changed",
    "tab_disconnected",
    "tab_gone",
    "grant_changed",
    "console",
    "page_tools",
    "pins",
    "client_joined",
    "client_left",
    "browsers_changed",
    "shares_changed",
    "missed",
]

_BUFFER = 256


@attrs.frozen(kw_only=True)
class HubEvent:
    """Something that happened in the hub.

    `tab_disconnected`: the tab's socket has ended, and the tab may come back within the grace period; `tab_gone`: it
    will not come back.
    `page_tools`: the tools that the tab's pages declare have changed.
    `pins`: what the person points at in the tab has changed.
    `browsers_changed`: an extension has connected or disconnected. `shares_changed`: a share was opened, or has ended.
    `missed`: this listener was too slow, and `count` events were left out before this one.
    """

    kind: EventKind
    tab_id: str | None = None
    count: int = 0


@attrs.define(eq=False)
class _Listener:
    channel: trio.MemorySendChannel[HubEvent]
    missed: int = 0


class Events:
    """The listeners of one hub. `published` is notified on every event."""

    def __init__(self) -> None:
        self._listeners: set[_Listener] = set()
        self.published = Changed()

    def publish(self, kind: EventKind, tab_id: str | None = None) -> None:
        """Send an event to every listener. A listener that does not keep up gets the number of events it missed."""
        self.published.notify()
        for listener in self._listeners:
            try:
                if listener.missed:
                    listener.channel.send_nowait(HubEvent(kind="missed", count=listener.missed))
                    listener.missed = 0
                listener.channel.send_nowait(HubEvent(kind=kind, tab_id=tab_id))
            except trio.WouldBlock:
                listener.missed += 1
            except trio.BrokenResourceError:
                continue  # it has closed its end, and is being removed

    @asynccontextmanager
    async def subscribe(self) -> AsyncIterator[trio.MemoryReceiveChannel[HubEvent]]:
        """Receive every event from now to the end of the block."""
        send, receive = trio.open_memory_channel[HubEvent](_BUFFER)
        listener = _Listener(send)
        self._listeners.add(listener)
        try:
            async with receive:
                yield receive
        finally:
            self._listeners.discard(listener)
            await send.aclose()
