"""The answer of an endpoint to an HTTP request, as it has come so far."""

from __future__ import annotations

import re

_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})\b")
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r\n", re.IGNORECASE)
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})[^\r\n]*\r\n")


def is_whole(received: bytes) -> bool:
    """Whether the answer has ended, judging by what it says of its length; if it says nothing, the connection's end
    ends it."""
    head, body = _split(received)
    if head is None:
        return False
    if _CHUNKED.search(head):
        return _chunks(body)[1]
    length = _LENGTH.search(head)
    return length is not None and len(body) >= int(length[1])


def read_answer(received: bytes) -> tuple[int | None, bytes]:
    """Status and body of an answer; None if this is no HTTP."""
    head, body = _split(received)
    status = _STATUS.match(head or b"")
    if head is None or status is None:
        return None, b""
    return int(status[1]), _chunks(body)[0] if _CHUNKED.search(head) else body


def _split(received: bytes) -> tuple[bytes | None, bytes]:
    head, found, body = received.partition(b"\r\n\r\n")
    return (head + b"\r\n", body) if found else (None, b"")


def _chunks(body: bytes) -> tuple[bytes, bool]:
    """The data of the chunks that have come, and whether the last one has."""
    data = bytearray()
    while (chunk := _CHUNK.match(body)) is not None:
        size = int(chunk[1], 16)
        if size == 0:
            return bytes(data), True
        data += body[chunk.end() : chunk.end() + size]
        body = body[chunk.end() + size + 2 :]
    return bytes(data), False
