"""The log of requests: a list, and one request in full."""

from __future__ import annotations

from typing import Annotated

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Blob
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, Lane, command
from kapture.commands.formatters.network import (
    Body,
    NetworkAnswer,
    NetworkRequestAnswer,
)
from kapture.commands.network.redaction import redacted_body
from kapture.commands.network.requests import (
    Glob,
    Status,
    matches,
    may_be_read,
    request_line,
    shown_request,
    without_secrets,
)
from kapture.errors import ErrorCode, KaptureError
from kapture.page.network.network_bodies import request_body, response_body
from kapture.page.network.network_request import Request


@attrs.frozen(kw_only=True)
class Network:
    """The tab's requests, most recent first. Ids (r12) name a request for network_request."""

    url: Glob | None = None
    method: str | None = None
    type: Annotated[str | None, Meta(description="document, fetch, xhr, script, image, …")] = None
    status: Status = None
    since: Annotated[int, Meta(ge=0, description="Only requests after this cursor.")] | None = None
    max: Annotated[int, Meta(ge=1, le=1_000, description="At most this many.")] = 50


@command("network", access=Access.READ, lane=Lane.CONTROL, toolset="network", idempotent=True)
async def network(tab: TabContext, params: Network) -> NetworkAnswer:
    """List the matching requests."""
    chosen: list[Request] = []
    hidden = matched = 0
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
        if len(chosen) < params.max:
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


@command("network_request", access=Access.READ, lane=Lane.CONTROL, toolset="network", idempotent=True)
async def network_request(tab: TabContext, params: NetworkRequest) -> NetworkRequestAnswer:
    """Get the bodies from the browser and show everything."""
    request, shown = _granted(tab, params.id)
    errors: list[str] = []
    sent = b""
    try:
        sent = redacted_body(shown.headers, await request_body(shown), tab.page.typed_secrets)
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
            body = _body(await response_body(request), request.mime_type, params.max_bytes)
        except KaptureError as error:
            errors.append(error.message)
    shown = without_secrets(shown, tab.page.typed_secrets)
    kept = list(shown.messages)
    if shown.messages_in_all > len(kept):
        kept.insert(0, f"… {shown.messages_in_all - len(kept)} other messages")
    return NetworkRequestAnswer(
        request=request_line(shown),
        redirects=[f"{status} {url}" for status, url in shown.redirects],
        failure=shown.failure,
        phases=shown.phases,
        request_headers=shown.headers,
        request_body=_body(sent, "", params.max_bytes) if sent else None,
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


def _body(content: bytes, mime_type: str, max_bytes: int) -> Body:
    kept = content[:max_bytes]
    truncated = len(kept) < len(content)
    try:
        return Body(
            bytes=len(content), text=kept.decode("utf-8", "strict" if not truncated else "ignore"), truncated=truncated
        )
    except UnicodeDecodeError:
        return Body(bytes=len(content), base64=Blob.of(kept, mime_type).base64, truncated=truncated)
