"""A tab's network requests.

The log is a ring of `CAPACITY` requests, fewer if they are large (`kapture.page.tab_memory`), kept in the hub. Bodies
stay in the browser until they are asked for. Sequence numbers only grow, as in `page.console.console`; a request that
is redirected keeps its id and lists the earlier hops.
"""

from __future__ import annotations

import base64
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from kapture.cdp import CdpError, CdpSession
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.page.console import Owners
from kapture.page.documents.read_gate import NOBODY, names_no_site
from kapture.page.network.network_request import Request, maybe_opaque
from kapture.page.network.routes import MAX_HEADS, Readers, SentHead, host_of
from kapture.page.tab_memory import kept_url, mapping_bytes

# Bytes of bodies that Chromium keeps for a session: in all, and per resource.
_BODY_BUFFER_BYTES = 64 * 2**20
_ONE_BODY_BYTES = 16 * 2**20
_POST_DATA_BYTES = 16_384


class NetworkLog:
    """The requests of one tab. `observe` is called for every CDP session of the page, including those of workers."""

    def __init__(self, owners: Owners, workers: Callable[[], Sequence[CdpSession]] = tuple) -> None:
        self._owners = owners
        self._workers = workers
        self.kept = KeptRequests()
        self._last = 0
        self.changed = Changed()
        """Notified when a request begins, gets a response, or ends."""

    @property
    def cursor(self) -> int:
        """The sequence number of the newest request."""
        return self._last

    def newest_first(self) -> Iterator[Request]:
        """All kept requests."""
        return reversed(self.kept)

    def oldest_first(self) -> Iterator[Request]:
        """All kept requests, in the order in which they began."""
        return iter(self.kept)

    def get(self, request_id: str) -> Request:
        """The request with this id (`r12`); `INVALID_PARAMS` with advice if it is not kept."""
        for request in self.kept:
            if request.id == request_id:
                return request
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"There is no request {request_id!r} in the log of this tab.",
            hint=f"List the requests again: ids look like r12, and the last {CAPACITY} are kept.",
        )

    async def observe(self, session: CdpSession) -> None:
        """Subscribe to the events of one session."""
        key = session.session_id

        def find(params: Mapping[str, Any]) -> Request | None:
            return self.kept.get((key, params["requestId"])) or self._begun_elsewhere(session, params["requestId"])

        def sent(params: dict[str, Any]) -> None:
            self._sent(session, params)

        def answered(params: dict[str, Any]) -> None:
            if request := find(params):
                _answer(request, params["response"])
                request.type = params.get("type", request.type).lower()
                if request.began_in is not session and request.type != "document":
                    # The script of a worker: no session reports that it has finished.
                    request.bytes = int(params["response"].get("encodedDataLength", 0))
                    request.end(params["timestamp"])
                self._has_changed(request)

        def finished(params: dict[str, Any]) -> None:
            if request := find(params):
                request.bytes = int(params.get("encodedDataLength", 0))
                request.end(params["timestamp"])
                self._has_changed(request)

        def failed(params: dict[str, Any]) -> None:
            if request := find(params):
                blocked = params.get("blockedReason")
                request.failure = (
                    f"blocked: {blocked}" if blocked else "cancelled" if params.get("canceled") else params["errorText"]
                )
                request.end(params["timestamp"])
                self._has_changed(request)

        def raw_request(params: dict[str, Any]) -> None:
            # The raw headers and the request itself arrive in either order, for every hop of a redirect too.
            head = self.kept.add_head((key, params["requestId"]), params["headers"])
            request = self.kept.get((key, params["requestId"]))
            if request is not None and not request.has_raw_headers and head.host == host_of(request.url):
                request.headers = {**request.headers, **params["headers"]}
                request.has_raw_headers = True
                self.kept.measure(request)
                return
            self.kept.put_raw_headers((key, params["requestId"]), params["headers"])

        def raw_response(params: dict[str, Any]) -> None:
            # The response of a redirect may arrive when the next hop has begun already. Raw headers of responses come
            # in order with those of requests: they are of the host to which the last ones went.
            if _is_redirect(params.get("statusCode", 0)) or not (request := find(params)):
                return
            heads = self.kept.heads((key, params["requestId"]))
            if heads and heads[-1].host == host_of(request.url):
                request.response_headers = {**request.response_headers, **params["headers"]}
                self.kept.measure(request)

        def served_from_cache(params: dict[str, Any]) -> None:
            if request := find(params):
                request.from_cache = True

        def event_received(params: dict[str, Any]) -> None:
            if request := find(params):
                name = params.get("eventName") or "message"
                request.add_message(f"← {name}: {params['data']}")
                self._has_changed(request)

        session.on("Network.requestWillBeSent", sent)
        session.on("Network.requestWillBeSentExtraInfo", raw_request)
        session.on("Network.responseReceivedExtraInfo", raw_response)
        session.on("Network.requestServedFromCache", served_from_cache)
        session.on("Network.responseReceived", answered)
        session.on("Network.eventSourceMessageReceived", event_received)
        session.on("Network.loadingFinished", finished)
        session.on("Network.loadingFailed", failed)
        self._observe_sockets(session, find)
        await session.send(
            "Network.enable",
            {
                "maxTotalBufferSize": _BODY_BUFFER_BYTES,
                "maxResourceBufferSize": _ONE_BODY_BYTES,
                "maxPostDataSize": _POST_DATA_BYTES,
            },
        )

    def _observe_sockets(self, session: CdpSession, find: Callable[[Mapping[str, Any]], Request | None]) -> None:
        """WebSockets: requests that end when the socket closes."""

        def created(params: dict[str, Any]) -> None:
            self._add(
                session,
                params["requestId"],
                method="GET",
                url=params["url"],
                type="websocket",
                started=time.time(),
                owners=self._owners(session, ""),
                headers={},
            )

        def asked(params: dict[str, Any]) -> None:
            if request := find(params):
                request.begins(params["timestamp"], params["wallTime"])
                request.headers = dict(params["request"]["headers"])
                if origin := _header(request.headers, "origin"):
                    request.owners = (origin,)
                self.kept.measure(request)

        def answered(params: dict[str, Any]) -> None:
            if request := find(params):
                response = params["response"]
                request.status, request.status_text = response["status"], response.get("statusText", "")
                request.response_headers = dict(response["headers"])
                self._has_changed(request)

        def failed(params: dict[str, Any]) -> None:
            if request := find(params):
                request.failure = params["errorMessage"]
                self._has_changed(request)

        def message(arrow: str) -> Callable[[dict[str, Any]], None]:
            def exchanged(params: dict[str, Any]) -> None:
                if request := find(params):
                    frame = params["response"]
                    text, is_text = frame["payloadData"], frame["opcode"] == 1
                    request.add_message(f"{arrow} {text if is_text else f'(binary, base64 {text})'}")
                    request.bytes += message_bytes(text, is_text=is_text)
                    self._has_changed(request)

            return exchanged

        def closed(params: dict[str, Any]) -> None:
            if request := find(params):
                request.end(params["timestamp"])
                self._has_changed(request)

        session.on("Network.webSocketCreated", created)
        session.on("Network.webSocketWillSendHandshakeRequest", asked)
        session.on("Network.webSocketHandshakeResponseReceived", answered)
        session.on("Network.webSocketFrameError", failed)
        session.on("Network.webSocketFrameSent", message("→"))
        session.on("Network.webSocketFrameReceived", message("←"))
        session.on("Network.webSocketClosed", closed)

    def _begun_elsewhere(self, session: CdpSession, request_id: str) -> Request | None:
        """The request of a frame's document in another process is reported in its parent's session, and its response in
        its own; likewise for the script of a worker. Bodies are where the response was reported."""
        for request in reversed(self.kept):
            if request.request_id == request_id and not request.finished and request.session is not session:
                request.session = session
                return request
        return None

    def _sent(self, session: CdpSession, params: dict[str, Any]) -> None:
        asked = params["request"]
        redirects: list[tuple[int, str]] = []
        before = self.kept.get((session.session_id, params["requestId"]))
        if before is not None and "redirectResponse" in params:
            # The previous hop may be outside the grant and unreported: then its origin is known only from this event.
            hop = params["redirectResponse"]
            redirects = [*before.redirects, (hop["status"], hop.get("url") or before.url)]
        self._add(
            session,
            params["requestId"],
            before,
            method=asked["method"],
            url=kept_url(asked["url"] + asked.get("urlFragment", "")),
            type=params.get("type", "Other").lower(),
            started=params["wallTime"],
            begun=params["timestamp"],
            owners=self._askers(session, params),
            headers=dict(asked["headers"]),
            has_body=asked.get("hasPostData", False),
            body=body_in_event(asked),
            redirects=redirects,
        )

    def owners(self, request_id: str) -> tuple[str, ...]:
        """The URLs of the documents that the request with this CDP id belongs to; `NOBODY` if it is not known."""
        found = (one for one in reversed(self.kept) if one.request_id == request_id)
        return next((request.owners for request in found), (NOBODY,))

    def _askers(self, session: CdpSession, params: Mapping[str, Any]) -> tuple[str, ...]:
        """The URLs of the documents that the request belongs to: the requesting one; for a navigation, the new
        document."""
        url: str = params["request"]["url"]
        if params.get("type") == "Document" and not names_no_site(url):
            return (url,)
        document: str = params.get("documentURL", "")
        askers = self._owners(session, params.get("frameId", ""))
        return askers if names_no_site(document) else (*askers, document)

    def _add(self, session: CdpSession, request_id: str, before: Request | None = None, **fields: Any) -> None:
        self._last += 1
        key = (session.session_id, request_id)
        self.kept.remove(key)
        raw = self.kept.take_raw_headers(key)
        if raw is not None and SentHead.of(raw).host != host_of(fields["url"]):
            raw = None  # of the hop before
        if raw is not None:
            fields["headers"] = {**fields["headers"], **raw}
        request = Request(
            id=before.id if before else f"r{self._last}",
            seq=self._last,
            request_id=request_id,
            session=session,
            began_in=session,
            workers=self._workers,
            has_raw_headers=raw is not None,
            heads=self.kept.heads(key),
            **fields,
        )
        self.kept.add(key, request)
        self.changed.notify()

    def _has_changed(self, request: Request) -> None:
        self.kept.measure(request)
        self.changed.notify()


def _header(headers: Mapping[str, str], name: str) -> str:
    """The value of a header, by its lower-case name."""
    return next((value for key, value in headers.items() if key.lower() == name), "")


def _is_redirect(status: int) -> bool:
    return status in (301, 302, 303, 307, 308)


def _answer(request: Request, response: Mapping[str, Any]) -> None:
    request.status, request.status_text = response["status"], response.get("statusText", "")
    request.protocol = response.get("protocol", "")
    request.mime_type = response.get("mimeType", "")
    request.response_headers = {**dict(response["headers"]), **request.response_headers}
    request.readers = Readers.of(response["headers"])
    request.remote_address = response.get("remoteIPAddress", "")
    request.timing = dict(response.get("timing") or {})
    request.from_cache = bool(request.from_cache or response.get("fromDiskCache"))
    request.from_service_worker = bool(response.get("fromServiceWorker"))
    request.maybe_opaque = maybe_opaque(request.type, response)


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
        """Return the messages sent for this key, in order; a request that is not kept any more may share its list."""
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


async def response_body(request: Request) -> bytes:
    """The decoded body of the response; `EXECUTION_ERROR` if the browser does not have it any more."""
    try:
        answer = await _ask_all(request, "Network.getResponseBody")
    except CdpError as error:
        raise KaptureError(
            ErrorCode.EXECUTION_ERROR,
            f"The browser does not have the body of {request.id}: {error.reason}.",
            hint="Bodies are dropped when the tab leaves the page; redirects, cached preflights and streams have none.",
        ) from error
    text: str = answer["body"]
    return base64.b64decode(text) if answer["base64Encoded"] else _encoded(text)


async def request_body(request: Request) -> bytes:
    """The body of the request; empty if there was none; `EXECUTION_ERROR` if the browser does not have it any more."""
    if request.body is not None:
        return request.body
    if not request.has_body:
        return b""
    try:
        answer = await _ask_all(request, "Network.getRequestPostData")
    except CdpError as error:
        raise KaptureError(
            ErrorCode.EXECUTION_ERROR,
            f"The browser no longer has the body that {request.id} sent: {error.reason}.",
        ) from error
    text: str = answer["postData"]
    return base64.b64decode(text) if answer.get("base64Encoded") else _encoded(text)


def body_in_event(asked: Mapping[str, Any]) -> bytes | None:
    """The request body in `Network.requestWillBeSent`; None if there is none, or it is incomplete there."""
    entries = asked.get("postDataEntries")
    if entries:
        return b"".join(base64.b64decode(entry["bytes"]) for entry in entries if "bytes" in entry)
    text = asked.get("postData")
    return None if text is None else _encoded(text)


def message_bytes(payload: str, *, is_text: bool) -> int:
    """The size of a WebSocket message, in bytes, from CDP's `payloadData`: base64 unless the message is text."""
    return len(_encoded(payload)) if is_text else len(payload) * 3 // 4 - payload.count("=")


async def _ask_all(request: Request, method: str) -> dict[str, Any]:
    """Ask the session that reported the request, then its workers' sessions: Chromium reports a worker's request in the
    session of the page, and keeps the response in that of the worker."""
    params = {"requestId": request.request_id}
    try:
        return await request.session.send(method, params)
    except CdpError:
        for session in request.workers():
            try:
                return await session.send(method, params)
            except KaptureError:
                continue  # the request is another worker's, or the session is gone
        raise


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
