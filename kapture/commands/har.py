"""Network traffic as a HAR file."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import parse_qsl

import attrs
import msgspec
import trio
from msgspec import Meta

from kapture import __version__
from kapture.commands.core.answer import Blob
from kapture.commands.core.bounds import stripped
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, Lane, command
from kapture.commands.core.worker import in_worker
from kapture.commands.network import (
    Glob,
    HarAnswer,
    matches,
    may_be_read,
    redacted_body,
    shown_request,
    without_secrets,
)
from kapture.errors import KaptureError
from kapture.page.network.network_log import response_body
from kapture.page.network.network_request import Request
from kapture.page.typed_secrets import TypedSecrets
from kapture.split_url import split_url

MOST_BODIES_BYTES = 16 * 2**20
"""Limit for the response bodies in one file. The browser keeps 64 MiB for each process of the page."""


def har_log(requests: Iterable[Request], bodies: Mapping[str, bytes]) -> dict[str, Any]:
    """A HAR document of requests as they may be shown. `bodies` maps request ids to response bodies."""
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "Kapture", "version": __version__},
            "pages": [],
            "entries": [
                entry for request in requests for entry in (*_hops(request), _entry(request, bodies.get(request.id)))
            ],
        }
    }


def _hops(request: Request) -> list[dict[str, Any]]:
    """The redirects, of which the log keeps status and URL."""
    if not request.redirects:
        return []
    targets = [*(url for _, url in request.redirects[1:]), request.url]
    return [
        {
            "startedDateTime": _moment(request.started),
            "time": 0,
            "request": {
                "method": request.method,
                "url": url,
                "httpVersion": "unknown",
                "cookies": [],
                "headers": [],
                "queryString": _query(url),
                "headersSize": -1,
                "bodySize": -1,
            },
            "response": {
                "status": status,
                "statusText": "",
                "httpVersion": "unknown",
                "cookies": [],
                "headers": [{"name": "Location", "value": target}],
                "content": {"size": 0, "mimeType": "x-unknown"},
                "redirectURL": target,
                "headersSize": -1,
                "bodySize": -1,
            },
            "cache": {},
            "timings": {"send": 0, "wait": 0, "receive": 0},
        }
        for (status, url), target in zip(request.redirects, targets, strict=True)
    ]


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _query(url: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in parse_qsl(split_url(url).query, keep_blank_values=True)]


def _entry(request: Request, body: bytes | None) -> dict[str, Any]:
    total = request.duration_ms or 0
    return {
        "startedDateTime": _moment(request.started),
        "time": total,
        "request": {
            "method": request.method,
            "url": request.url,
            "httpVersion": request.protocol or "unknown",
            "cookies": [],
            "headers": _pairs(request.headers),
            "queryString": _query(request.url),
            "headersSize": -1,
            "bodySize": len(request.body) if request.body is not None else -1 if request.has_body else 0,
            **_post_data(request),
        },
        "response": {
            "status": request.status or 0,
            "statusText": request.status_text,
            "httpVersion": request.protocol or "unknown",
            "cookies": [],
            "headers": _pairs(request.response_headers),
            "content": _content(request, body),
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": request.bytes,
            **({"_error": request.failure} if request.failure else {}),
        },
        "cache": {},
        "timings": request.phases or {"send": 0, "wait": total, "receive": 0},
        **({"serverIPAddress": request.remote_address} if request.remote_address else {}),
        "_resourceType": request.type,
    }


def _pairs(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]


def _post_data(request: Request) -> dict[str, Any]:
    if request.body is None:
        return {}
    kind = next((value for name, value in request.headers.items() if name.lower() == "content-type"), "")
    return {"postData": {"mimeType": kind, "text": request.body.decode("utf-8", "replace")}}


def _content(request: Request, body: bytes | None) -> dict[str, Any]:
    content: dict[str, Any] = {"size": len(body) if body is not None else request.bytes, "mimeType": request.mime_type}
    if body is not None:
        try:
            content["text"] = body.decode()
        except UnicodeDecodeError:
            content["text"] = base64.b64encode(body).decode()
            content["encoding"] = "base64"
    return content


@attrs.frozen(kw_only=True)
class Har:
    """Export the request log as HAR 1.2. Session headers and sent passwords are redacted."""

    url: Glob | None = None
    since: Annotated[int, Meta(ge=0, description="Only requests after this cursor.")] | None = None
    bodies: Annotated[bool, Meta(description="With response bodies, up to 1 MB each, 16 MiB in all.")] = False


@command(
    "har",
    access=Access.READ,
    lane=Lane.CONTROL,
    toolset="network",
    timeout_ms=SLOW_TIMEOUT_MS,
    idempotent=True,
    reads_page=False,
    long=True,
)
async def har(tab: TabContext, params: Har) -> HarAnswer:
    """Build the HAR from the log."""
    chosen = [
        (request, shown)
        for request in tab.page.network.oldest_first()
        if (params.since is None or request.seq > params.since)
        and (shown := shown_request(request, tab.page)) is not None
        and matches(shown, url=params.url)
    ]
    secrets = tab.page.typed_secrets
    bodies: dict[str, bytes] = {}
    left, left_out = MOST_BODIES_BYTES, 0
    if params.bodies:
        for done, (request, _) in enumerate(chosen):
            if request.finished and not request.failure and may_be_read(request, tab.page.gate):
                with trio.move_on_after(5):
                    try:
                        body = secrets.in_bytes((await response_body(request))[:1_000_000])
                    except KaptureError:
                        continue  # bodies of earlier documents are gone; the HAR is complete without them
                    if len(body) > left:
                        left_out += 1
                        continue
                    left -= len(body)
                    bodies[request.id] = body
            await tab.progress(done + 1, len(chosen), request.id)
    whole = []
    for _, shown in chosen:
        await trio.lowlevel.checkpoint()  # looking for what was typed takes a while in many requests
        whole.append(without_secrets(_without_passwords(shown, secrets), secrets))
    log = har_log(whole, bodies)
    encoded = await in_worker(_encoded, log) if bodies else _encoded(log)
    file = Blob.of(encoded, "application/json", "network.har")
    return HarAnswer(entries=len(chosen), bytes=len(encoded), file=file, bodies_left_out=left_out)


def _encoded(log: dict[str, Any]) -> bytes:
    return msgspec.json.encode(stripped(log))


def _without_passwords(shown: Request, secrets: TypedSecrets) -> Request:
    return shown if shown.body is None else attrs.evolve(shown, body=redacted_body(shown.headers, shown.body, secrets))
