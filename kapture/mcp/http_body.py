"""Errors in the body of a POST that the SDK would misread, not report, or report to nobody."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from kapture.wire.codec import without_lone_surrogates


class _Sent(msgspec.Struct):
    id: Any = UNSET
    method: Any = UNSET
    params: Any = UNSET


_MAX_NAME = 200
_SENT = msgspec.json.Decoder(_Sent)


def too_long(content_length: str, max_bytes: int) -> bool:
    """Whether a body is declared to be too long: then the SDK refuses it before it is sent."""
    return content_length.isdecimal() and int(content_length[:20]) > max_bytes


async def read_body(receive: Receive, max_bytes: int) -> tuple[bytes, Receive]:
    r"""Read a request's body; returns it, and a `receive` that begins anew. If it is too long: its beginning.

    Half of a character (`\ud800` alone), as of a text that a client has cut within an emoji, is read as U+FFFD.
    `ClientDisconnect` if the connection ends before the body does.
    """
    messages: list[Message] = []
    chunks: list[bytes] = []
    size, more = 0, True
    while more and size <= max_bytes:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        messages.append(message)
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        more = message.get("more_body", False)
    body = b"".join(chunks)
    if not more and (mended := _mended(body)) != body:
        body, messages = mended, [{"type": "http.request", "body": mended}]
    unread = iter(messages)

    async def again() -> Message:
        for message in unread:
            return message
        return await receive()

    return body, again


def _mended(body: bytes) -> bytes:
    """The same, as long, without unpaired surrogates. What is not UTF-8 is left to the SDK to refuse."""
    if b"\\u" not in body:
        return body
    try:
        return without_lone_surrogates(body.decode()).encode()
    except UnicodeDecodeError:
        return body


def initializing_client(body: bytes) -> str | None:
    """The name, perhaps empty, that a client gives itself in `initialize`; None if the message is another one."""
    try:
        sent = _SENT.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if sent.method != "initialize":
        return None
    try:
        name = sent.params["clientInfo"]["name"]
    except (TypeError, LookupError):
        return ""
    return name[:_MAX_NAME] if isinstance(name, str) else ""


def judged(body: bytes) -> tuple[str | None, str | None]:
    """The id of a request as text, by which the SDK tells requests apart, None for other messages; and why this is no
    message that can be served, if the SDK would not say it."""
    if body.lstrip()[:1] == b"[":
        return None, "Batches are not supported: send each message by itself."
    try:
        sent = _SENT.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None, None
    if sent.method is UNSET or sent.id is UNSET:
        return None, None
    if not isinstance(sent.id, int | str) or isinstance(sent.id, bool):
        # The SDK takes it for a notification: it answers 202, and does nothing.
        return None, "The id of a request must be a string or an integer."
    return str(sent.id), None
