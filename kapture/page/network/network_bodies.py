"""Bodies of requests and responses. They stay in the browser until they are asked for."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from kapture.cdp import CdpError
from kapture.errors import ErrorCode, KaptureError
from kapture.page.network.network_request import Request


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
