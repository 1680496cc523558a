"""The last messages of a Streamable HTTP session, bounded, for a client that reconnects and asks for them again."""

from __future__ import annotations

from collections import OrderedDict

import attrs
from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId
from mcp_types import JSONRPCMessage

MAX_BYTES = 8 * 1024 * 1024
MAX_EVENTS = 1_000


@attrs.frozen
class _Event:
    stream: StreamId
    number: int
    message: JSONRPCMessage | None
    size_bytes: int


class BoundedEventStore(EventStore):
    """One session's events in memory. The oldest are dropped first; an id that is gone or unknown replays nothing."""

    def __init__(self, *, max_bytes: int = MAX_BYTES, max_events: int = MAX_EVENTS) -> None:
        self._max_bytes = max_bytes
        self._max_events = max_events
        self._events: OrderedDict[EventId, _Event] = OrderedDict()
        self._bytes = 0
        self._last = 0

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        """Keep the message; returns its id, which grows with every event of the session."""
        self._last += 1
        event_id = str(self._last)
        size = len(message.model_dump_json(by_alias=True, exclude_unset=True)) if message is not None else 0
        self._events[event_id] = _Event(stream_id, self._last, message, size)
        self._bytes += size
        while len(self._events) > self._max_events or (self._bytes > self._max_bytes and len(self._events) > 1):
            _, dropped = self._events.popitem(last=False)
            self._bytes -= dropped.size_bytes
        return event_id

    async def replay_events_after(self, last_event_id: EventId, send_callback: EventCallback) -> StreamId | None:
        """Send what followed this event on its stream; returns the stream, or None if the event is not known."""
        last = self._events.get(last_event_id)
        if last is None:
            return None
        later = [
            (event_id, event)
            for event_id, event in self._events.items()
            if event.stream == last.stream and event.number > last.number and event.message is not None
        ]
        for event_id, event in later:
            assert event.message is not None  # noqa: S101  chosen above
            await send_callback(EventMessage(event.message, event_id))
        return last.stream
