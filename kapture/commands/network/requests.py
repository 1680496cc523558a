"""Requests of the log: which match, and what of them may be shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias

from msgspec import Meta

from kapture.commands.formatters.network import (
    RequestLine,
    shortened,
)
from kapture.page.network_request import Request
from kapture.page.routes import url_matches

# Headers that carry a person's session: shown as present, never with their value.
SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})
Glob: TypeAlias = Annotated[str, Meta(description="URL glob: * any run of characters.")]
Status: TypeAlias = Annotated[str | int | None, Meta(description="404, 4xx, failed, or pending.")]


def may_be_read(request: Request, gate: Callable[[str], bool]) -> bool:
    """Whether a response's body may be shown: to whoever may read its site, or a page that may read it itself.

    Images, scripts and styles of other sites come with the person's session, and no page sees what is in them.
    """
    if not request.url.startswith(("http:", "https:")) or gate(request.url):
        return True
    names = {name.lower() for name in request.response_headers}
    return request.type in {"fetch", "xhr", "eventsource"} and "access-control-allow-origin" in names


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


def request_line(request: Request) -> RequestLine:
    """The facts of one request for a list."""
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
        url=shortened(request.url, 4_000),
    )
