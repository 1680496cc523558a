"""The requests of a tab's network log, and headers that arrived before their request: bounded in number and bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from kapture.page.network.cors import MAX_HEADS, SentHead
from kapture.page.network.network_request import Request
from kapture.page.tab_memory import mapping_bytes

CAPACITY = 1_000
_MAX_RAW_HEADERS = 100

Key: TypeAlias = tuple[str | None, str]
"""A CDP session's id, and a request id of that session."""


class KeptRequests:
    """The requests by key, in the order in which they began; a holder (`kapture.page.tab_memory`)."""

    def __init__(self) -> None:
        self.on_grown: Callable[[], None] = lambda: None
        self.held_bytes = 0
        self._requests: OrderedDict[Key, Request] = OrderedDict()
        self._raw_headers: OrderedDict[Key, Mapping[str, str]] = OrderedDict()
        self._heads: OrderedDict[Key, list[SentHead]] = OrderedDict()

    def __iter__(self) -> Iterator[Request]:
        return iter(self._requests.values())

    def __reversed__(self) -> Iterator[Request]:
        return reversed(self._requests.values())

    def get(self, key: Key) -> Request | None:
        """The request with this key; None if it is not kept."""
        return self._requests.get(key)

    def unanswered(self, keys: Iterable[Key]) -> int:
        """How many of these requests the page still waits for: not for those that are not kept, or are streams."""
        requests = [request for key in keys if (request := self.get(key)) is not None]
        return sum(not request.is_answered for request in requests)

    def remove(self, key: Key) -> None:
        """Forget the request with this key, if it is kept."""
        if (request := self._requests.pop(key, None)) is not None:
            self.held_bytes -= request.held_bytes

    def add(self, key: Key, request: Request) -> None:
        """Add a request; drops the oldest for it."""
        self._requests[key] = request
        while len(self._requests) > CAPACITY:
            self.drop_oldest()
        self.measure(request)

    def measure(self, request: Request) -> None:
        """Update the size of a kept request that has changed."""
        held_bytes = request.measure()
        self.held_bytes += held_bytes - request.held_bytes
        request.held_bytes = held_bytes
        self.on_grown()

    def heads(self, key: Key) -> list[SentHead]:
        """What was sent for this key, in order; a request that is not kept any more may share its list."""
        if key not in self._heads and len(self._heads) >= CAPACITY:
            self._heads.popitem(last=False)
        return self._heads.setdefault(key, [])

    def add_head(self, key: Key, headers: Mapping[str, str]) -> SentHead:
        """Note what was sent: headers are reported before or after their request, and for every hop of a redirect."""
        heads, head = self.heads(key), SentHead.of(headers)
        if len(heads) < MAX_HEADS:
            heads.append(head)
        return head

    def put_raw_headers(self, key: Key, headers: Mapping[str, str]) -> None:
        """Keep headers until their request is reported."""
        self.take_raw_headers(key)
        self._raw_headers[key] = headers
        self.held_bytes += mapping_bytes(headers)
        while len(self._raw_headers) > _MAX_RAW_HEADERS:
            self._drop_raw_headers()
        self.on_grown()

    def take_raw_headers(self, key: Key) -> Mapping[str, str] | None:
        """Remove and return the headers kept under this key."""
        headers = self._raw_headers.pop(key, None)
        if headers is not None:
            self.held_bytes -= mapping_bytes(headers)
        return headers

    def drop_oldest(self) -> None:
        """Drop the oldest request, or headers whose request was not reported."""
        if self._requests:
            self.remove(next(iter(self._requests)))
        else:
            self._drop_raw_headers()

    def _drop_raw_headers(self) -> None:
        self.take_raw_headers(next(iter(self._raw_headers)))
