"""What a client is told of what happens, when much happens at once."""

from __future__ import annotations

from collections import Counter
from contextlib import asynccontextmanager
from typing import Any

import trio
from msgspec import Raw

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


class Told:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    async def tools_changed(self) -> None:
        self.counts["tools"] += 1

    async def resources_changed(self) -> None:
        self.counts["resources"] += 1

    async def resource_updated(self, uri: str, *, subscribed: bool) -> None:
        self.counts[uri] += 1

    async def log(self, level: Any, data: dict[str, Any]) -> None:
        self.counts["log"] += 1


async def test_what_came_together_is_told_once_and_no_tab_is_left_out() -> None:
    events = [HubEvent(kind="tab_connected", tab_id=f"t{number % 100}") for number in range(200)]
    hub: Any = Busy(events)
    told = Told()
    await Notifier(hub, hub.usable_tools).run(told)
    assert hub.looked == 2, "at the beginning, and once for all events"
    assert (told.counts["tools"], told.counts["resources"], told.counts["kapture://tabs"]) == (1, 1, 1)
    assert sum(uri.startswith("kapture://tab/") for uri in told.counts) == 100


def test_parameters_that_are_nested_too_deeply_are_left_to_the_sdk() -> None:
    hub: Any = Busy([])
    nested = b'{"uri": "kapture://tabs", "more": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"
    assert not Notifier(hub, hub.usable_tools).take("resources/subscribe", Raw(nested))
