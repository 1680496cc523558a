"""What a client is told of what happens, when much happens at once."""

from __future__ import annotations

from collections import Counter
from contextlib import asynccontextmanager
from typing import Any

import trio

from kapture.hub import HubEvent
from kapture.mcp.notifier import Notifier


class Busy:
    """A hub on which everything has happened already. The list of tools is another one each time."""

    def __init__(self, events: list[HubEvent]) -> None:
        self.events = events
        self.looked = 0

    @asynccontextmanager
    async def subscribe(self) -> Any:
        send, receive = trio.open_memory_channel[HubEvent](1_000)
        async with send, receive:
            for event in self.events:
                send.send_nowait(event)
            await send.aclose()
            yield receive

    def usable_tools(self) -> tuple[object, ...]:
        self.looked += 1
        return (self.looked,)


class Connection:
    """A client's session in the SDK: `sent` counts what it was sent."""

    def __init__(self) -> None:
        self.sent: Counter[str] = Counter()

    async def send_tool_list_changed(self) -> None:
        self.sent["tools"] += 1

    async def send_resource_list_changed(self) -> None:
        self.sent["resources"] += 1

    async def send_resource_updated(self, uri: str) -> None:
        self.sent[uri] += 1


async def test_events_that_arrive_together_are_notified_once_and_no_tab_is_left_out() -> None:
    events = [HubEvent(kind="tab_connected", tab_id=f"t{number % 100}") for number in range(200)]
    hub: Any = Busy(events)
    notifier = Notifier(hub, hub.usable_tools)
    connection: Any = Connection()
    notifier.connection = connection
    for uri in ("kapture://tabs", *(f"kapture://tab/t{number}" for number in range(100))):
        notifier.subscribe(uri)
    await notifier.run()
    assert hub.looked == 2, "at the beginning, and once for all events"
    assert (connection.sent["tools"], connection.sent["resources"], connection.sent["kapture://tabs"]) == (1, 1, 1)
    assert sum(uri.startswith("kapture://tab/") for uri in connection.sent) == 100
