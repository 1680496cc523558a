"""The network of a tab: what was asked and answered, waiting for an answer, conditions, blocking and mocking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import attrs
import msgspec
import trio
from msgspec import Meta

from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, Lane, command
from kapture.commands.har import har_log
from kapture.errors import ErrorCode, KaptureError
from kapture.page.network import Request, request_body, response_body
from kapture.page.routes import MAX_ROUTES, Route, url_matches

# Headers that carry a person's session: shown as present, never with their value.
SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})

Glob: TypeAlias = Annotated[str, Meta(description="URL glob: * any run of characters.")]
Status: TypeAlias = Annotated[str | int | None, Meta(description="404, 4xx, failed, or pending.")]


@attrs.frozen(kw_only=True)
class Network:
    """The tab's requests, most recent first. Ids (r12) name a request for network_request."""

    url: Glob | None = None
    method: str | None = None
    type: Annotated[str | None, Meta(description="document, fetch, xhr, script, image, …")] = None
    status: Status = None
    since: Annotated[int, Meta(ge=0, description="Only requests after this cursor.")] | None = None
    max: Annotated[int, Meta(ge=1, le=1_000, description="At most this many.")] = 50


@attrs.frozen(kw_only=True)
class RequestLine:
    """One request in a list. `size` in bytes as sent over the network."""

    id: str
    method: str
    status: str
    type: str
    size: int
    ms: int | None
    url: str


@attrs.frozen(kw_only=True)
class NetworkAnswer(Answer):
    """Requests, most recent first."""

    requests: list[RequestLine]
    cursor: int
    more: int
    hidden: int

    def text(self) -> str:
        """One line a request: id, method, status, type, bytes, milliseconds, URL."""
        lines = [
            f"{r.id} {r.method} {r.status} {r.type} {r.size}B {'-' if r.ms is None else f'{r.ms}ms'} {_short(r.url)}"
            for r in self.requests
        ] or ["No requests match."]
        notes = [f"cursor {self.cursor}"]
        if self.more:
            notes.append(f"{self.more} more match")
        if self.hidden:
            notes.append(f"{self.hidden} of documents outside the grant not shown")
        return "\n".join([*lines, f"({'; '.join(notes)})"])


@command("network", access=Access.READ, lane=Lane.CONTROL, toolset="network", idempotent=True)
async def network(tab: TabContext, params: Network) -> NetworkAnswer:
    """List what matches."""
    chosen: list[Request] = []
    hidden = matched = 0
    for request in tab.page.network.newest_first():
        if params.since is not None and request.seq <= params.since:
            break
        if not matches(request, url=params.url, method=params.method, status=params.status, type_=params.type):
            continue
        if not tab.page.gate(request.document_url):
            hidden += 1
            continue
        matched += 1
        if len(chosen) < params.max:
            chosen.append(request)
    return NetworkAnswer(
        requests=[_line(request) for request in chosen],
        cursor=tab.page.network.cursor,
        more=matched - len(chosen),
        hidden=hidden,
    )


@attrs.frozen(kw_only=True)
class NetworkRequest:
    """One request whole: headers and bodies, both ways. Headers that carry a session are redacted."""

    id: Annotated[str, Meta(description="From network: r12.")]
    max_bytes: Annotated[int, Meta(ge=0, le=10_000_000, description="At most this much of each body.")] = 20_000


@attrs.frozen(kw_only=True)
class Body:
    """A body, as text where it is text, else base64; `bytes` is its whole size."""

    bytes: int
    text: str | None = None
    base64: str | None = None
    truncated: bool = False

    def shown(self) -> str:
        """For a model."""
        if self.bytes == 0:
            return "(empty)"
        if self.text is None:
            return f"({self.bytes} bytes, not text)"
        return self.text + (f"\n… cut: {self.bytes} bytes in all" if self.truncated else "")


@attrs.frozen(kw_only=True)
class NetworkRequestAnswer(Answer):
    """All that is known of one request."""

    request: RequestLine
    redirects: list[str]
    failure: str
    request_headers: dict[str, str]
    request_body: Body | None
    response_headers: dict[str, str]
    response_body: Body | None
    messages: list[str]
    body_error: str

    def text(self) -> str:
        """In the manner of an HTTP trace."""
        r = self.request
        lines = [f"{r.id} {r.method} {r.url} → {r.status}" + (f" in {r.ms} ms" if r.ms is not None else "")]
        lines += [f"redirected: {hop}" for hop in self.redirects]
        lines += [f"> {name}: {value}" for name, value in self.request_headers.items()]
        if self.request_body is not None:
            lines += ["", self.request_body.shown(), ""]
        lines += [f"< {name}: {value}" for name, value in self.response_headers.items()]
        if self.failure:
            lines.append(f"failed: {self.failure}")
        if self.response_body is not None:
            lines += ["", self.response_body.shown()]
        if self.messages:
            lines += ["", *self.messages]
        if self.body_error:
            lines.append(self.body_error)
        return "\n".join(lines)


@command("network_request", access=Access.READ, lane=Lane.CONTROL, toolset="network", idempotent=True)
async def network_request(tab: TabContext, params: NetworkRequest) -> NetworkRequestAnswer:
    """Fetch the bodies from the browser and show everything."""
    request = _granted(tab, params.id)
    errors: list[str] = []
    sent = b""
    try:
        sent = await request_body(request)
    except KaptureError as error:
        errors.append(error.message)
    body: Body | None = None
    if not may_be_read(request, tab.page.gate):
        errors.append("The body is of another site, outside the grant, and the page itself may not read it.")
    elif request.finished and not request.failure and request.type != "websocket":
        try:
            body = _body(await response_body(request), request.mime_type, params.max_bytes)
        except KaptureError as error:
            errors.append(error.message)
    kept = list(request.messages)
    if request.messages_in_all > len(kept):
        kept.insert(0, f"… {request.messages_in_all - len(kept)} earlier messages")
    return NetworkRequestAnswer(
        request=_line(request),
        redirects=[f"{status} {url}" for status, url in request.redirects],
        failure=request.failure,
        request_headers=redacted(request.headers),
        request_body=_body(sent, "", params.max_bytes) if sent else None,
        response_headers=redacted(request.response_headers),
        response_body=body,
        messages=kept,
        body_error="\n".join(errors),
    )


def may_be_read(request: Request, gate: Callable[[str], bool]) -> bool:
    """Whether a response's body may be shown: to whoever may read its site, or a page that may read it itself.

    Images, scripts and styles of other sites come with the person's session, and no page sees what is in them.
    """
    if not request.url.startswith(("http:", "https:")) or gate(request.url):
        return True
    names = {name.lower() for name in request.response_headers}
    return request.type in {"fetch", "xhr", "eventsource"} and "access-control-allow-origin" in names


@attrs.frozen(kw_only=True)
class WaitForResponse:
    """Wait until a request that matches has ended. Give `since` (a cursor taken before acting) to catch early ones."""

    url: Glob
    method: str | None = None
    status: Status = None
    since: Annotated[int, Meta(ge=0, description="Only requests after this cursor; default: from now.")] | None = None


@attrs.frozen(kw_only=True)
class ResponseAnswer(Answer):
    """The first request that matched."""

    request: RequestLine
    cursor: int

    def text(self) -> str:
        """One line."""
        r = self.request
        return f"{r.id} {r.method} {r.status} {r.type} {r.size}B {r.ms}ms {r.url}\n(cursor {self.cursor})"


@command("wait_for_response", access=Access.READ, lane=Lane.CONTROL, toolset="network", timeout_ms=SLOW_TIMEOUT_MS)
async def wait_for_response(tab: TabContext, params: WaitForResponse) -> ResponseAnswer:
    """Look at what is there, then at whatever changes. The command's own timeout bounds it."""
    log = tab.page.network
    since = log.cursor if params.since is None else params.since
    while True:
        for request in log.oldest_first():
            if (
                request.seq > since
                and request.finished
                and matches(request, url=params.url, method=params.method, status=params.status)
                and tab.page.gate(request.document_url)
            ):
                return ResponseAnswer(request=_line(request), cursor=log.cursor)
        await log.changed()


@attrs.frozen(kw_only=True)
class NetworkConditions:
    """Slow the tab's network down, or take it offline. Without arguments: back to normal."""

    offline: bool = False
    latency_ms: Annotated[float, Meta(ge=0, description="Added to each request.")] = 0
    download_kbps: Annotated[float, Meta(gt=0, description="Kilobits a second; default unlimited.")] | None = None
    upload_kbps: Annotated[float, Meta(gt=0)] | None = None


@attrs.frozen(kw_only=True)
class ConditionsAnswer(Answer):
    """What holds now."""

    conditions: str

    def text(self) -> str:
        """One line."""
        return f"network: {self.conditions}"


@command("network_conditions", access=Access.INTERACT, toolset="network", idempotent=True, reads_page=False)
async def network_conditions(tab: TabContext, params: NetworkConditions) -> ConditionsAnswer:
    """Set for the page and every frame of it."""

    def throughput(kbps: float | None) -> float:
        return -1 if kbps is None else kbps * 1000 / 8

    await tab.page.set_network_conditions(
        {
            "offline": params.offline,
            "latency": params.latency_ms,
            "downloadThroughput": throughput(params.download_kbps),
            "uploadThroughput": throughput(params.upload_kbps),
        }
    )
    parts = ["offline"] if params.offline else []
    parts += [f"{params.latency_ms:g} ms latency"] if params.latency_ms else []
    parts += [f"{params.download_kbps:g} kbit/s down"] if params.download_kbps else []
    parts += [f"{params.upload_kbps:g} kbit/s up"] if params.upload_kbps else []
    return ConditionsAnswer(conditions=", ".join(parts) or "normal")


@attrs.frozen(kw_only=True)
class RouteParams:
    """Block or mock requests by URL pattern. action: block, mock, list, remove."""

    action: Literal["block", "mock", "list", "remove"]
    url: Glob | None = None
    status: Annotated[int, Meta(ge=100, le=599, description="Of the mocked answer.")] = 200
    body: Annotated[str | dict[str, Any] | list[Any], Meta(description="Of the mocked answer: text, or JSON.")] = ""
    headers: Annotated[dict[str, str], Meta(description="Of the mocked answer.")] = attrs.field(factory=dict)
    id: Annotated[str | None, Meta(description="Route to remove; default: all.")] = None


@attrs.frozen(kw_only=True)
class RoutesAnswer(Answer):
    """The routes that are set now."""

    done: str
    routes: list[str]

    def text(self) -> str:
        """One line a route."""
        return "\n".join([self.done, *self.routes])


@command("route", access=Access.FULL, toolset="network", reads_page=False)
async def route(tab: TabContext, params: RouteParams) -> RoutesAnswer:
    """Mocking puts words into a page's mouth, hence access `full`."""
    routes = tab.page.routes
    done = ""
    if params.action == "remove":
        gone = await routes.remove(params.id)
        done = f"removed {gone}"
    elif params.action in {"block", "mock"}:
        if params.url is None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"To {params.action} requests, say which: url is missing.",
                hint="Give a glob such as https://example.com/api/*.",
            )
        if len(routes) >= MAX_ROUTES:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS, f"{MAX_ROUTES} routes are set already.", hint="Remove some first."
            )
        made = await (routes.add(params.url) if params.action == "block" else routes.add(params.url, **_mock(params)))
        done = f"{made.id}: {params.action} {params.url}"
    return RoutesAnswer(done=done, routes=[_route_line(each) for each in routes])


@attrs.frozen(kw_only=True)
class Har:
    """Export the request log as HAR 1.2. Headers that carry a session are redacted."""

    url: Glob | None = None
    since: Annotated[int, Meta(ge=0, description="Only requests after this cursor.")] | None = None
    bodies: Annotated[bool, Meta(description="With response bodies, up to 1 MB each.")] = False


@attrs.frozen(kw_only=True)
class HarAnswer(Answer):
    """Where the file is; the HAR itself travels as a part."""

    entries: int
    bytes: int
    file: Blob

    def text(self) -> str:
        """One line."""
        return f"HAR with {self.entries} requests, {self.bytes} bytes"

    def parts(self) -> tuple[Blob, ...]:
        """The file."""
        return (self.file,)


@command(
    "har",
    access=Access.READ,
    lane=Lane.CONTROL,
    toolset="network",
    timeout_ms=SLOW_TIMEOUT_MS,
    idempotent=True,
    reads_page=False,
)
async def har(tab: TabContext, params: Har) -> HarAnswer:
    """Build the HAR from the log."""
    chosen = [
        request
        for request in tab.page.network.oldest_first()
        if (params.since is None or request.seq > params.since)
        and matches(request, url=params.url)
        and tab.page.gate(request.document_url)
    ]
    bodies: dict[str, bytes] = {}
    if params.bodies:
        for done, request in enumerate(chosen):
            if request.finished and not request.failure and may_be_read(request, tab.page.gate):
                with trio.move_on_after(5):
                    try:
                        bodies[request.id] = (await response_body(request))[:1_000_000]
                    except KaptureError:
                        continue  # bodies of earlier documents are gone; the HAR stands without them
            await tab.progress(done + 1, len(chosen), request.url)
    encoded = msgspec.json.encode(har_log(chosen, bodies, redacted))
    return HarAnswer(entries=len(chosen), bytes=len(encoded), file=Blob.of(encoded, "application/json", "network.har"))


def matches(
    request: Request,
    *,
    url: str | None = None,
    method: str | None = None,
    status: str | int | None = None,
    type_: str | None = None,
) -> bool:
    """Whether a request fits every filter that is given."""
    return (
        (url is None or url_matches(request.url, url))
        and (method is None or request.method == method.upper())
        and (type_ is None or request.type == type_.lower())
        and (status is None or _status_matches(request, str(status).lower()))
    )


def _status_matches(request: Request, wanted: str) -> bool:
    if wanted == "failed":
        return bool(request.failure)
    if wanted == "pending":
        return not request.finished
    shown = str(request.status or "")
    return shown[:1] == wanted[:1] if wanted.endswith("xx") else shown == wanted


def redacted(headers: dict[str, str]) -> dict[str, str]:
    """Headers with the secret values taken out."""
    return {k: "(redacted)" if k.lower() in SECRET_HEADERS else v for k, v in headers.items()}


def _granted(tab: TabContext, request_id: str) -> Request:
    request = tab.page.network.get(request_id)
    if not tab.page.gate(request.document_url):
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"{request_id} was asked by a document outside the grant of this tab.",
            hint="Ask the person to grant that site in the Kapture panel.",
        )
    return request


def _line(request: Request) -> RequestLine:
    status = "failed" if request.failure else str(request.status) if request.status else "pending"
    if request.from_service_worker:
        status += "(worker)"
    elif request.from_cache:
        status += "(cache)"
    return RequestLine(
        id=request.id,
        method=request.method,
        status=status,
        type=request.type,
        size=request.bytes,
        ms=None if request.duration_ms is None else round(request.duration_ms),
        url=_short(request.url, 4_000),
    )


def _short(url: str, limit: int = 200) -> str:
    if url.startswith("data:"):
        return f"{url[:60]}… ({len(url)} characters)"
    return url if len(url) <= limit else f"{url[:limit]}…"


def _body(content: bytes, mime_type: str, max_bytes: int) -> Body:
    kept = content[:max_bytes]
    truncated = len(kept) < len(content)
    try:
        return Body(
            bytes=len(content), text=kept.decode("utf-8", "strict" if not truncated else "ignore"), truncated=truncated
        )
    except UnicodeDecodeError:
        return Body(bytes=len(content), base64=Blob.of(kept, mime_type).base64, truncated=truncated)


def _mock(params: RouteParams) -> dict[str, Any]:
    headers = dict(params.headers)
    if isinstance(params.body, str):
        body = params.body.encode()
        default = "text/plain; charset=utf-8"
    else:
        body = msgspec.json.encode(params.body)
        default = "application/json"
    if not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = default
    return {"status": params.status, "body": body, "headers": headers}


def _route_line(each: Route) -> str:
    what = "block" if each.blocks else f"mock {each.status}"
    return f"{each.id} {what} {each.pattern} hits={len(each.hits)}"
