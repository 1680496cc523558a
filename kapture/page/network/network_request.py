"""One request of a tab, and its response."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from kapture.cdp import CdpSession
from kapture.page.network.routes import Readers, SentHead
from kapture.page.tab_memory import mapping_bytes, texts_bytes

MAX_MESSAGES = 100
_READ_BY_THE_PAGE = frozenset({"document", "eventsource", "font", "xhr"})
"""Types whose requests the browser fails if a service worker answers with a response that no page may read."""
MAX_MESSAGE_CHARS = 1_000
_REQUEST_BYTES = 1_000
"""The size of a request without its texts."""


@attrs.define(kw_only=True)
class Request:
    """One request and its response. Times: `started` in seconds since the epoch, `duration_ms` until its end."""

    id: str
    seq: int
    method: str
    url: str
    type: str
    started: float
    owners: tuple[str, ...]
    """The URLs of the documents that it may belong to, all of which must be granted."""
    request_id: str
    session: CdpSession  # the one that has its bodies
    began_in: CdpSession
    workers: Callable[[], Sequence[CdpSession]]
    headers: dict[str, str]
    has_raw_headers: bool = False  # including those that the network stack added, such as Cookie
    heads: Sequence[SentHead] = ()
    """The headers of every hop, as far as they were reported."""
    readers: Readers = attrs.field(factory=Readers)
    has_body: bool = False
    body: bytes | None = None
    status: int | None = None
    status_text: str = ""
    protocol: str = ""
    mime_type: str = ""
    response_headers: dict[str, str] = attrs.field(factory=dict)
    remote_address: str = ""
    timing: dict[str, float] = attrs.field(factory=dict)
    from_cache: bool = False
    bytes: int = 0
    duration_ms: float | None = None
    failure: str = ""
    from_service_worker: bool = False
    maybe_opaque: bool = False
    """Whether the function of this name says so of its response."""
    redirects: list[tuple[int, str]] = attrs.field(factory=list)
    messages: deque[str] = attrs.field(factory=lambda: deque(maxlen=MAX_MESSAGES))
    """The messages of a WebSocket or event stream, oldest first: `→ sent`, `← received`. The last `MAX_MESSAGES`, each
    truncated."""
    messages_in_all: int = 0
    held_bytes: int = 0
    """The size that the log has counted; see `measure`."""
    _begun: float | None = None  # the browser's monotonic clock, in seconds

    @property
    def finished(self) -> bool:
        """Whether it has ended, successfully or not."""
        return self.duration_ms is not None

    @property
    def is_stream(self) -> bool:
        """Whether its response is one of events, which may never end."""
        return "text/event-stream" in self.mime_type

    @property
    def is_answered(self) -> bool:
        """Whether nothing of its answer is waited for: it has ended, never may, or has come whole."""
        return self.finished or self.is_stream or (self.status is not None and is_short(self.response_headers))

    @property
    def phases(self) -> dict[str, float]:
        """How its time was spent, in milliseconds; see `kapture.page.network.network_request`. Empty before its end."""
        if self.duration_ms is None or self._begun is None:
            return {}
        return phases(self.timing, self._begun, self.duration_ms)

    def end(self, at: float) -> None:
        """Set its end, in seconds of the browser's monotonic clock. Of a WebSocket that gets no connection, that clock
        has no beginning."""
        passed = time.time() - self.started if self._begun is None else at - self._begun
        self.duration_ms = max(0.0, passed * 1000)

    def begins(self, at: float, wall_time: float) -> None:
        """Set its beginning, in seconds of the browser's monotonic clock and of the wall clock."""
        self._begun, self.started = at, wall_time

    def measure(self) -> int:
        """Its size in memory, in bytes, estimated."""
        return (
            _REQUEST_BYTES
            + texts_bytes(self.url, self.status_text, self.mime_type, self.failure, *self.owners)
            + mapping_bytes(self.headers)
            + mapping_bytes(self.response_headers)
            + mapping_bytes(self.timing)
            + (len(self.body) if self.body is not None else 0)
            + texts_bytes(*(url for _, url in self.redirects))
            + texts_bytes(*self.messages)
        )

    def add_message(self, message: str) -> None:
        """Add one message of a stream."""
        self.messages_in_all += 1
        self.messages.append(message if len(message) <= MAX_MESSAGE_CHARS else f"{message[:MAX_MESSAGE_CHARS]}…")


def maybe_opaque(kind: str, response: Mapping[str, Any]) -> bool:
    """Whether a response of CDP may be one of another site that no page may read, under an address of this one.

    A service worker may answer any request with what it fetched elsewhere, with the person's cookies
    (https://fetch.spec.whatwg.org/#concept-filtered-response-opaque). The browser reports headers and body of that as
    the address's own, and does not say that they are not. `kind`: the type of the request, in lower case.
    """
    made_by_script = response.get("serviceWorkerResponseSource") == "fallback-code"
    return bool(response.get("fromServiceWorker")) and not made_by_script and kind not in _READ_BY_THE_PAGE


_SHORT_BYTES = 65_536


def is_short(headers: Mapping[str, str]) -> bool:
    """Whether a response with these headers says how long it is, and that is little."""
    for name, value in headers.items():
        if name.casefold() == "content-length":
            return value.isascii() and value.isdecimal() and int(value[:12]) <= _SHORT_BYTES
    return False


_CONNECTION = (("dns", "dnsStart", "dnsEnd"), ("connect", "connectStart", "connectEnd"), ("ssl", "sslStart", "sslEnd"))


def phases(timing: Mapping[str, float], begun: float, total_ms: float) -> dict[str, float]:
    """Milliseconds by phase: `blocked`, `dns`, `connect` (`ssl` is a part of it), `send`, `wait`, `receive`. All but
    `ssl` add up to the total. Phases that did not occur are left out; empty if the browser has measured nothing.

    `timing` is CDP's `Network.ResourceTiming`: milliseconds after its `requestTime`, -1 for what did not occur; `begun`
    is when the request began and `requestTime` when it was sent, in seconds of the same clock.
    """
    sent, answered = timing.get("sendEnd", -1), timing.get("receiveHeadersEnd", -1)
    if sent < 0 or answered < 0:
        return {}
    held = max(0.0, (timing.get("requestTime", begun) - begun) * 1_000)
    sending = max(0.0, timing.get("sendStart", sent))
    connection = {name: timing[end] - timing[start] for name, start, end in _CONNECTION if timing.get(start, -1) >= 0}
    found = {
        "blocked": held + sending - connection.get("dns", 0.0) - connection.get("connect", 0.0),
        **connection,
        "send": sent - sending,
        "wait": answered - sent,
        "receive": total_ms - held - answered,
    }
    return {name: round(max(0.0, ms), 3) for name, ms in found.items()}
