"""The buffer of raw events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.cdp import CdpSession, PendingReply
from kapture.commands.cdp import MAX_EVENTS, CdpEvents, EventBuffer, cdp_events
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.frames import FrameTree
from kapture.page.tab_memory import LIMIT_BYTES, TabMemory
from tests.unit.page.frame_world import World


def filled(count: int) -> EventBuffer:
    buffer = EventBuffer()
    for _ in range(count):
        buffer.add("A.b", {}, None)
    return buffer


@given(st.integers(0, 3 * MAX_EVENTS), st.integers(1, 700), st.integers(0, 50))
def test_reading_by_cursor_gives_every_kept_event_once_and_counts_the_others(
    count: int, limit: int, start: int
) -> None:
    buffer = filled(count)
    cursor, seen, missed = start, [], None
    while True:
        events, dropped = buffer.read(cursor, None, limit)
        missed = dropped if missed is None else missed
        if not events:
            break
        seen += [event.number for event in events]
        cursor = seen[-1]
    assert seen == list(range(max(start, count - MAX_EVENTS) + 1, count + 1))
    assert missed == max(0, count - MAX_EVENTS - start)


def test_large_events_do_not_grow_the_buffer() -> None:
    buffer = EventBuffer()
    memory = TabMemory()
    memory.add("events", buffer.kept)
    for _ in range(100):
        buffer.add("A.b", {"text": "x" * 90_000}, None)
    events, missed = buffer.read(0, None, MAX_EVENTS)
    assert LIMIT_BYTES / 2 < sum(len(event.params["text"]) for event in events) <= LIMIT_BYTES
    assert missed == 100 - len(events)
    buffer.add("A.b", {"text": "x" * 1_000_000}, None)
    assert "dropped" in buffer.read(buffer.last - 1, None, 1)[0][0].params


def test_only_the_events_asked_for_are_read() -> None:
    buffer = EventBuffer()
    for method in ("A.b", "C.d", "A.b"):
        buffer.add(method, {}, None)
    assert [event.number for event in buffer.read(0, ["A.b"], 10)[0]] == [1, 3]


class EnablingWorld(World):
    """One that keeps its answers to `Log.enable` back."""

    def __init__(self) -> None:
        self.enabled: list[PendingReply] = []
        super().__init__()

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        reply = super().submit(method, params, session_id)
        if method == "Log.enable":
            self.enabled.append(reply)
        return reply


@attrs.define
class Tab:
    """A tab whose client subscribes to events; it is its own page and client."""

    frames: FrameTree
    kept: dict[str, Any] = attrs.field(factory=dict)
    memory: TabMemory = attrs.field(factory=TabMemory)
    sessions: list[CdpSession] = attrs.field(factory=list)
    observers: list[Callable[[CdpSession], Awaitable[None]]] = attrs.field(factory=list)

    @property
    def page(self) -> Tab:
        return self

    @property
    def client(self) -> Tab:
        return self

    def gate(self, url: str) -> bool:
        return url.startswith("https://a.example/")

    def on_session(self, observer: Callable[[CdpSession], Awaitable[None]]) -> Callable[[], None]:
        self.observers.append(observer)
        return lambda: self.observers.remove(observer)


async def test_what_the_browser_repeats_in_a_new_session_is_not_collected() -> None:
    world = EnablingWorld()
    tab: Any = Tab(world.tree)
    await cdp_events(tab, CdpEvents(action="subscribe", events=["Log.entryAdded"]))
    [observe] = tab.observers
    await observe(world.connection.root)
    for text in ("repeated", "new"):
        world.event("Log.entryAdded", entry={"source": "security", "text": text})
        for reply in world.enabled:
            reply.resolve({})
    answer = await cdp_events(tab, CdpEvents(action="read"))
    assert [event.params["entry"]["text"] for event in answer.events] == ["new"]


def subscribed(world: World) -> Any:
    """A tab with one session."""
    return Tab(world.tree, sessions=[world.connection.root])


async def test_a_buffer_that_is_subscribed_to_nothing_leaves_the_page_until_it_is_again() -> None:
    world = EnablingWorld()
    tab = subscribed(world)
    await cdp_events(tab, CdpEvents(action="read"))
    assert tab.observers == []
    for text in ("first", "second"):
        await cdp_events(tab, CdpEvents(action="subscribe", events=["Log.entryAdded"]))
        world.enabled.pop().resolve({})
        world.event("Log.entryAdded", entry={"source": "security", "text": text})
        await cdp_events(tab, CdpEvents(action="unsubscribe", events=["Log.entryAdded"]))
        world.event("Log.entryAdded", entry={"source": "security", "text": "between"})
        assert tab.observers == []
    answer = await cdp_events(tab, CdpEvents(action="read"))
    assert [event.params["entry"]["text"] for event in answer.events] == ["first", "second"]


async def test_a_buffer_that_was_dropped_with_its_client_leaves_the_page() -> None:
    world = World()
    tab = subscribed(world)
    await cdp_events(tab, CdpEvents(action="subscribe", events=["Log.entryAdded"]))
    tab.kept.clear()
    world.event("Log.entryAdded", entry={"source": "security", "text": "late"})
    assert tab.observers == []


async def test_a_subscription_that_is_refused_subscribes_to_nothing() -> None:
    world = World()
    tab = subscribed(world)
    with pytest.raises(KaptureError) as refused:
        await cdp_events(tab, CdpEvents(action="subscribe", events=["Log.entryAdded", "Page.frameResized"]))
    assert refused.value.code is ErrorCode.POLICY_DENIED
    assert (await cdp_events(tab, CdpEvents(action="read"))).subscribed == []
