"""The network of a tab: the log of its requests, conditions, and mocked responses."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import unquote_plus

import attrs
import msgspec
from msgspec import Meta

from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, Lane, command
from kapture.errors import ErrorCode, KaptureError
from kapture.glob import MAX_CHARS, glob_matches
from kapture.page import Page
from kapture.page.documents.read_gate import EVERY_SITE, shown_address
from kapture.page.network.network_log import request_body, response_body
from kapture.page.network.network_request import Request
from kapture.page.network.routes import Route, page_may_read
from kapture.page.typed_secrets import TypedSecrets
from kapture.split_url import join_url
from kapture.wire.codec import decode_json


@attrs.frozen(kw_only=True)
class RequestLine:
    """One request in a list. `size` is the number of bytes sent over the network."""

    id: str
    method: str
    status: str
    type: str
    size: int
    ms: int | None = None
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
            f"{r.id} {r.method} {r.status} {r.type} {r.size}B {'-' if r.ms is None else f'{r.ms}ms'} {r.url}"
            for r in self.requests
        ] or ["No requests match."]
        notes = [f"cursor {self.cursor}"]
        if self.more:
            notes.append(f"{self.more} more match")
        if self.hidden:
            notes.append(f"{self.hidden} not shown: requests by documents outside the grant, or unknown ones")
        return "\n".join([*lines, f"({'; '.join(notes)})"])


@attrs.frozen(kw_only=True)
class Body:
    """A body, as text if it is text, otherwise base64; `bytes` is its whole size."""

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
    """Everything known about one request. `phases`: how its time was spent, in milliseconds, as HAR names them."""

    exact = True

    request: RequestLine
    phases: dict[str, float] = attrs.field(factory=dict)
    redirects: list[str]
    failure: str
    request_headers: dict[str, str]
    request_body: Body | None
    response_headers: dict[str, str]
    response_body: Body | None
    messages: list[str]
    body_error: str

    def text(self) -> str:
        """In the format of an HTTP trace."""
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


@attrs.frozen(kw_only=True)
class ResponseAnswer(Answer):
    """The first request that matched."""

    request: RequestLine
    cursor: int

    def text(self) -> str:
        """One line."""
        r = self.request
        return f"{r.id} {r.method} {r.status} {r.type} {r.size}B {r.ms}ms {r.url}\n(cursor {self.cursor})"


@attrs.frozen(kw_only=True)
class ConditionsAnswer(Answer):
    """The conditions in force."""

    conditions: str

    def text(self) -> str:
        """One line."""
        return f"network: {self.conditions}"


@attrs.frozen(kw_only=True)
class RoutesAnswer(Answer):
    """The routes that are set now."""

    done: str
    routes: list[str]

    def text(self) -> str:
        """One line per route."""
        return "\n".join([self.done, *self.routes])


@attrs.frozen(kw_only=True)
class HarAnswer(Answer):
    """How many requests it has, and its size; the HAR itself is a binary part."""

    entries: int
    bytes: int
    file: Blob
    bodies_left_out: int = 0

    def text(self) -> str:
        """One line."""
        left_out = f"; without {self.bodies_left_out} bodies, for which it had no room" if self.bodies_left_out else ""
        return f"HAR with {self.entries} requests, {self.bytes} bytes{left_out}"

    def parts(self) -> tuple[Blob, ...]:
        """The file."""
        return (self.file,)


def shortened(url: str) -> str:
    """A URL of the log for an answer: of data: URLs the beginning, with their length if the log has kept all of it."""
    if not url.startswith("data:"):
        return url
    return f"{url[:60]}…" + ("" if url.endswith("…") else f" ({len(url)} characters)")


_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})
_FIELD = re.compile(
    r"pass[ _-]?(?:word|wd|code|phrase)|^pass$|pwd|passwort|kennwort|contrase[nñ]a|mot[ _-]?de[ _-]?passe|^pin$|otp$|"
    r"one[ _-]?time|secret(?!ar)|(?:access|refresh|id)[ _-]?token|^cv[cv]2?$|card[ _-]?number",
    re.IGNORECASE,
)
_PART_NAME = re.compile(rb';[ \t]*name="([^"]*)"', re.IGNORECASE)
_REDACTED = "(redacted)"
_TYPED = (str, int, float)


def redacted_headers(headers: dict[str, str]) -> dict[str, str]:
    """Headers without a session: the names are kept."""
    return {name: _REDACTED if name.lower() in _HEADERS else value for name, value in headers.items()}


def redacted_body(headers: dict[str, str], body: bytes, typed: TypedSecrets) -> bytes:
    """Describe a request's body, by its headers, without the values of secret fields, of a form or of JSON, and without
    what was typed into password fields."""
    return typed.in_bytes(_by_names(headers, body))


def _by_names(headers: dict[str, str], body: bytes) -> bytes:
    kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    if kind.lower().startswith("application/x-www-form-urlencoded"):
        return b"&".join(map(_pair, body.split(b"&")))
    if kind.lower().startswith("multipart/form-data") and (boundary := kind.partition("boundary=")[2].strip('" ')):
        mark = f"--{boundary}".encode()
        return mark.join(map(_part, body.split(mark)))
    if body.lstrip()[:1] in (b"{", b"["):
        return _json(body)
    return body


def _pair(pair: bytes) -> bytes:
    name, sign, _ = pair.partition(b"=")
    return name + sign + _REDACTED.encode() if sign and _is_secret(unquote_plus(name.decode("latin-1"))) else pair


def _part(part: bytes) -> bytes:
    head, blank, _ = part.partition(b"\r\n\r\n")
    name = _PART_NAME.search(head)
    secret = blank and name is not None and _is_secret(name[1].decode("utf-8", "replace"))
    return head + blank + _REDACTED.encode() + b"\r\n" if secret else part


def _json(body: bytes) -> bytes:
    try:
        value = decode_json(body)
        found = _without_secrets(value)
        return body if found == value else msgspec.json.encode(found)
    except (msgspec.MsgspecError, RecursionError):
        return body


def _without_secrets(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    if isinstance(value, dict):
        pair = value.keys() >= {"name", "value"} and isinstance(value["name"], str) and _is_secret(value["name"])
        return {
            name: _REDACTED
            if (_is_secret(name) or (pair and name == "value")) and type(item) in _TYPED
            else _without_secrets(item)
            for name, item in value.items()
        }
    return value


def _is_secret(name: str) -> bool:
    return _FIELD.search(name) is not None


Glob: TypeAlias = Annotated[str, Meta(max_length=MAX_CHARS, description="URL glob: * any run of characters.")]
Status: TypeAlias = Annotated[str | int | None, Meta(description="404, 4xx, failed, or pending.")]


def as_granted(request: Request, gate: Callable[[str], bool]) -> Request | None:
    """The part of a request that may be shown; None unless it is known that a granted document made it.

    If it went outside the grant: method, origin, status, size and time; redirects outside the grant: their origins. The
    same of a response that a service worker may have fetched from there.
    """
    if not all(map(gate, request.owners)):
        return None
    redirects = [(status, shown_address(url, gate)) for status, url in request.redirects]
    url = shown_address(request.url, gate)
    if url != request.url:
        return attrs.evolve(
            request,
            url=url,
            redirects=redirects,
            headers={},
            has_body=False,
            body=None,
            status_text="",
            mime_type="",
            response_headers={},
            remote_address="",
            timing={},
            messages=deque(),
            messages_in_all=0,
        )
    if request.maybe_opaque and not gate(EVERY_SITE):
        return attrs.evolve(request, redirects=redirects, response_headers={}, status_text="", mime_type="")
    headers = request.response_headers
    location = next((name for name in headers if name.lower() == "location"), None)
    if location is not None:
        target = shown_address(join_url(request.url, headers[location]), gate)
        headers = {**headers, location: target} if target.endswith("/…") else headers
    return attrs.evolve(request, redirects=redirects, response_headers=headers)


def shown_request(request: Request, page: Page) -> Request | None:
    """As `as_granted`, without what was typed into password fields in its addresses."""
    shown = as_granted(request, page.gate)
    if shown is None:
        return None
    hide = page.typed_secrets.in_text
    url, redirects = hide(shown.url), [(status, hide(url)) for status, url in shown.redirects]
    changed = url != shown.url or redirects != shown.redirects
    return attrs.evolve(shown, url=url, redirects=redirects) if changed else shown


def without_secrets(shown: Request, secrets: TypedSecrets) -> Request:
    """A request to be shown whole, without the person's session, and without passwords in its headers and messages."""
    return attrs.evolve(
        shown,
        headers=_redacted(shown.headers, secrets),
        response_headers=_redacted(shown.response_headers, secrets),
        messages=deque(map(secrets.in_text, shown.messages)),
    )


def _redacted(headers: dict[str, str], secrets: TypedSecrets) -> dict[str, str]:
    return {name: secrets.in_text(value) for name, value in redacted_headers(headers).items()}


def may_be_read(request: Request, gate: Callable[[str], bool]) -> bool:
    """Whether a response's body may be shown: its site is granted, or the granted page could read it itself.

    Images, scripts and styles of other sites are loaded with the person's session, and no page can read them.
    """
    if request.maybe_opaque and not gate(EVERY_SITE):
        return False
    if not request.url.startswith(("http:", "https:")) or gate(request.url):
        return True
    hops = [*(url for _, url in request.redirects), request.url]
    return not request.failure and page_may_read(
        request.type, request.method, hops, request.heads, request.owners, request.readers
    )


def matches(
    request: Request,
    *,
    url: str | None = None,
    method: str | None = None,
    status: str | int | None = None,
    type_: str | None = None,
) -> bool:
    """Whether a request matches every given filter."""
    return (
        (url is None or glob_matches(request.url, url))
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


def request_line(request: Request) -> RequestLine:
    """One request for a list."""
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
        url=shortened(request.url),
    )


@attrs.frozen(kw_only=True)
class Network:
    """The tab's requests, most recent first. Ids (r12) name a request for network_request."""

    url: Glob | None = None
    method: str | None = None
    type: Annotated[str | None, Meta(description="document, fetch, xhr, script, image, …")] = None
    status: Status = None
    since: Annotated[int, Meta(ge=0, description="Only requests after this cursor.")] | None = None
    max: Annotated[int, Meta(ge=1, le=1_000, description="At most this many; default 50.")] | None = None


@command("network", access=Access.READ, lane=Lane.CONTROL, toolset="network", idempotent=True, long=True)
async def network(tab: TabContext, params: Network) -> NetworkAnswer:
    """List the matching requests."""
    chosen: list[Request] = []
    hidden = matched = 0
    most = tab.arguments.most(params.max, 50, 1_000)
    for request in tab.page.network.newest_first():
        if params.since is not None and request.seq <= params.since:
            break
        shown = shown_request(request, tab.page)
        if shown is None:
            hidden += 1
            continue
        if not matches(shown, url=params.url, method=params.method, status=params.status, type_=params.type):
            continue
        matched += 1
        if len(chosen) < most:
            chosen.append(shown)
    return NetworkAnswer(
        requests=[request_line(request) for request in chosen],
        cursor=tab.page.network.cursor,
        more=matched - len(chosen),
        hidden=hidden,
    )


@attrs.frozen(kw_only=True)
class NetworkRequest:
    """One request whole: headers and bodies, both ways. Session headers and sent passwords are redacted."""

    id: Annotated[str, Meta(description="From network: r12.")]
    max_bytes: Annotated[int, Meta(ge=0, le=10_000_000, description="At most this much of each body.")] = 20_000


@command("network_request", access=Access.READ, lane=Lane.CONTROL, toolset="network", idempotent=True, long=True)
async def network_request(tab: TabContext, params: NetworkRequest) -> NetworkRequestAnswer:
    """Get the bodies from the browser and show everything."""
    request, shown = _granted(tab, params.id)
    typed = tab.page.typed_secrets
    errors: list[str] = []
    sent = b""
    try:
        sent = redacted_body(shown.headers, await request_body(shown), typed)
    except KaptureError as error:
        errors.append(error.message)
    body: Body | None = None
    if not may_be_read(request, tab.page.gate):
        errors.append(
            "The body is not shown: it comes from the page's service worker, which may have it from a site outside the"
            " grant."
            if request.maybe_opaque
            else "The body is not shown: it comes from a site outside the grant, and the page itself may not read it."
        )
    elif request.finished and not request.failure and request.type != "websocket":
        try:
            received = await response_body(request)
            # What was typed into password fields, as a server sends it back.
            body = _body(typed.in_bytes(received[: params.max_bytes]), request.mime_type, len(received))
        except KaptureError as error:
            errors.append(error.message)
    shown = without_secrets(shown, typed)
    kept = list(shown.messages)
    if shown.messages_in_all > len(kept):
        kept.insert(0, f"… {shown.messages_in_all - len(kept)} other messages")
    return NetworkRequestAnswer(
        request=request_line(shown),
        redirects=[f"{status} {url}" for status, url in shown.redirects],
        failure=shown.failure,
        phases=shown.phases,
        request_headers=shown.headers,
        request_body=_body(sent[: params.max_bytes], "", len(sent)) if sent else None,
        response_headers=shown.response_headers,
        response_body=body,
        messages=kept,
        body_error="\n".join(errors),
    )


def _granted(tab: TabContext, request_id: str) -> tuple[Request, Request]:
    """The request as recorded, and the part of it that may be shown."""
    request = tab.page.network.get(request_id)
    shown = shown_request(request, tab.page)
    if shown is None:
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"{request_id} was sent by a document outside the grant of this tab.",
            hint="Ask the person to add that site to the tab's grant in the Kapture panel.",
        )
    return request, shown


def _body(kept: bytes, mime_type: str, size: int) -> Body:
    """Return the note on a body of that many bytes."""
    truncated = len(kept) < size
    try:
        return Body(bytes=size, text=kept.decode("utf-8", "ignore" if truncated else "strict"), truncated=truncated)
    except UnicodeDecodeError:
        return Body(bytes=size, base64=Blob.of(kept, mime_type).base64, truncated=truncated)


@attrs.frozen(kw_only=True)
class NetworkConditions:
    """Slow the tab's network down, or take it offline. Without arguments: back to normal."""

    offline: bool = False
    latency_ms: Annotated[float, Meta(ge=0, description="Added to each request.")] = 0
    download_kbps: Annotated[float, Meta(gt=0, description="Kilobits a second; default unlimited.")] | None = None
    upload_kbps: Annotated[float, Meta(gt=0)] | None = None


@command("network_conditions", access=Access.INTERACT, toolset="network", idempotent=True, reads_page=False)
async def network_conditions(tab: TabContext, params: NetworkConditions) -> ConditionsAnswer:
    """Set the conditions for the page and all its frames."""

    def throughput(kbps: float | None) -> float:
        return -1 if kbps is None else kbps * 1000 / 8

    await tab.page.network_conditions.set(
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
    status: Annotated[int, Meta(ge=100, le=599, description="Of the mocked response.")] = 200
    body: Annotated[str | dict[str, Any] | list[Any], Meta(description="Of the mocked response: text, or JSON.")] = ""
    headers: Annotated[dict[str, str], Meta(description="Of the mocked response.")] = attrs.field(factory=dict)
    id: Annotated[str | None, Meta(description="Route to remove; default: all.")] = None


@command("route", access=Access.FULL, toolset="network", reads_page=False)
async def route(tab: TabContext, params: RouteParams) -> RoutesAnswer:
    """Set, list or remove routes. Mocking changes what a page receives, hence access `full`."""
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
        made = await (routes.add(params.url) if params.action == "block" else routes.add(params.url, **_mock(params)))
        done = f"{made.id}: {params.action} {params.url}"
    return RoutesAnswer(done=done, routes=[_route_line(each) for each in routes])


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
    return f"{each.id} {what} {each.pattern} hits={each.hits}"
