"""What a tab asks of the network, request by request.

The log is a ring of `CAPACITY` requests, kept in the hub. Bodies stay in the browser until they are asked for.
Sequence numbers only grow, as in `kapture.page.console`; a request that is redirected keeps its id and lists the
hops before.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
import trio

from kapture.cdp import CdpError, CdpSession
from kapture.errors import ErrorCode, KaptureError

CAPACITY = 1_000
# What Chromium keeps of bodies for a session, in bytes: in all, and of one resource.
_BODY_BUFFER_BYTES = 64 * 2**20
_ONE_BODY_BYTES = 16 * 2**20


@attrs.define(kw_only=True)
class Request:
    """One request and what came of it. Times: `started` in seconds since the epoch, `duration_ms` to its end."""

    id: str
    seq: int
    method: str
    url: str
    type: str
    started: float
    document_url: str
    request_id: str
    session: CdpSession
    headers: dict[str, str]
    has_body: bool = False
    body: str | None = None
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
    redirects: list[tuple[int, str]] = attrs.field(factory=list)
    _begun: float = 0.0  # the browser's monotonic clock, in seconds

    @property
    def finished(self) -> bool:
        """Whether it has ended, well or not."""
        return self.duration_ms is not None

    def end(self, at: float) -> None:
        """Ended at this moment of the browser's monotonic clock, in seconds."""
        self.duration_ms = max(0.0, (at - self._begun) * 1000)


class NetworkLog:
    """The requests of one tab. `observe` is called for every CDP session of the page."""

    def __init__(self, document_url: Callable[[], str]) -> None:
        self._document_url = document_url
        self._requests: OrderedDict[tuple[str | None, str], Request] = OrderedDict()
        self._last = 0
        self._changed = trio.Event()

    @property
    def cursor(self) -> int:
        """The sequence number of the newest request."""
        return self._last

    @property
    def dropped_before(self) -> int:
        """Requests up to this sequence number are no longer kept."""
        first = next(iter(self._requests.values()), None)
        return first.seq - 1 if first else self._last

    def newest_first(self) -> Iterator[Request]:
        """All kept requests."""
        return reversed(self._requests.values())

    def oldest_first(self) -> Iterator[Request]:
        """All kept requests, in the order in which they began."""
        return iter(self._requests.values())

    def get(self, request_id: str) -> Request:
        """The request with this id (`r12`); else `EXECUTION_ERROR` with what to do."""
        for request in self._requests.values():
            if request.id == request_id:
                return request
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"There is no request {request_id!r} in the log of this tab.",
            hint=f"List the requests again: ids look like r12, and the last {CAPACITY} are kept.",
        )

    async def changed(self) -> None:
        """Return when a request begins, is answered, or ends."""
        await self._changed.wait()

    async def observe(self, session: CdpSession) -> None:
        """Collect from one session."""
        key = session.session_id

        def find(params: Mapping[str, Any]) -> Request | None:
            return self._requests.get((key, params["requestId"]))

        def sent(params: dict[str, Any]) -> None:
            self._sent(session, params)

        def answered(params: dict[str, Any]) -> None:
            if request := find(params):
                _answer(request, params["response"])
                request.type = params.get("type", request.type).lower()
                self._wake()

        def finished(params: dict[str, Any]) -> None:
            if request := find(params):
                request.bytes = int(params.get("encodedDataLength", 0))
                request.end(params["timestamp"])
                self._wake()

        def failed(params: dict[str, Any]) -> None:
            if request := find(params):
                blocked = params.get("blockedReason")
                request.failure = (
                    f"blocked: {blocked}" if blocked else "cancelled" if params.get("canceled") else params["errorText"]
                )
                request.end(params["timestamp"])
                self._wake()

        def raw_request(params: dict[str, Any]) -> None:
            if request := find(params):
                request.headers = {**request.headers, **params["headers"]}

        def raw_response(params: dict[str, Any]) -> None:
            if request := find(params):
                request.response_headers = {**request.response_headers, **params["headers"]}

        def served_from_cache(params: dict[str, Any]) -> None:
            if request := find(params):
                request.from_cache = True

        session.on("Network.requestWillBeSent", sent)
        session.on("Network.requestWillBeSentExtraInfo", raw_request)
        session.on("Network.responseReceivedExtraInfo", raw_response)
        session.on("Network.requestServedFromCache", served_from_cache)
        session.on("Network.responseReceived", answered)
        session.on("Network.loadingFinished", finished)
        session.on("Network.loadingFailed", failed)
        await session.send(
            "Network.enable",
            {
                "maxTotalBufferSize": _BODY_BUFFER_BYTES,
                "maxResourceBufferSize": _ONE_BODY_BYTES,
                "maxPostDataSize": 65_536,
            },
        )

    def _sent(self, session: CdpSession, params: dict[str, Any]) -> None:
        asked = params["request"]
        key = (session.session_id, params["requestId"])
        redirects: list[tuple[int, str]] = []
        before = self._requests.get(key)
        if before is not None and "redirectResponse" in params:
            redirects = [*before.redirects, (params["redirectResponse"]["status"], before.url)]
        self._last += 1
        self._requests.pop(key, None)
        self._requests[key] = Request(
            id=before.id if before else f"r{self._last}",
            seq=self._last,
            method=asked["method"],
            url=asked["url"] + asked.get("urlFragment", ""),
            type=params.get("type", "Other").lower(),
            started=params["wallTime"],
            begun=params["timestamp"],
            document_url=params.get("documentURL") or self._document_url(),
            request_id=params["requestId"],
            session=session,
            headers=dict(asked["headers"]),
            has_body=asked.get("hasPostData", False),
            body=asked.get("postData"),
            redirects=redirects,
        )
        while len(self._requests) > CAPACITY:
            self._requests.popitem(last=False)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


def _answer(request: Request, response: Mapping[str, Any]) -> None:
    request.status = response["status"]
    request.status_text = response.get("statusText", "")
    request.protocol = response.get("protocol", "")
    request.mime_type = response.get("mimeType", "")
    request.response_headers = {**dict(response["headers"]), **request.response_headers}
    request.remote_address = response.get("remoteIPAddress", "")
    request.timing = dict(response.get("timing") or {})
    request.from_cache = bool(request.from_cache or response.get("fromDiskCache"))


async def response_body(request: Request) -> bytes:
    """The body as the page got it, decoded; `EXECUTION_ERROR` when the browser no longer has it."""
    try:
        answer = await request.session.send("Network.getResponseBody", {"requestId": request.request_id})
    except CdpError as error:
        raise KaptureError(
            ErrorCode.EXECUTION_ERROR,
            f"The browser does not have the body of {request.id} ({request.method} {request.url}): {error.reason}.",
            hint="Bodies go when the tab leaves the page, and redirects, cached preflights and streams have none.",
        ) from error
    text: str = answer["body"]
    return base64.b64decode(text) if answer["base64Encoded"] else text.encode()


async def request_body(request: Request) -> bytes:
    """What was sent; empty when nothing was."""
    if request.body is not None:
        return request.body.encode()
    if not request.has_body:
        return b""
    answer = await request.session.send("Network.getRequestPostData", {"requestId": request.request_id})
    text: str = answer["postData"]
    return base64.b64decode(text) if answer.get("base64Encoded") else text.encode()
