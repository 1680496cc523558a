"""Requests of the log: filters, and what may be shown of each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Annotated, TypeAlias

import attrs
from msgspec import Meta

from kapture.commands.formatters.network import (
    RequestLine,
    shortened,
)
from kapture.commands.network.redaction import redacted_headers
from kapture.glob import MAX_CHARS, glob_matches
from kapture.page import Page
from kapture.page.documents.read_gate import EVERY_SITE, shown_address
from kapture.page.network.cors import page_may_read
from kapture.page.network.network_request import Request
from kapture.page.typed_secrets import TypedSecrets
from kapture.split_url import join_url

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
