"""The buffer of raw events."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kapture.commands.cdp_events import MAX_EVENTS, EventBuffer
from kapture.page.tab_memory import LIMIT_BYTES, TabMemory


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
