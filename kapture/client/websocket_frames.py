"""The client's end of a WebSocket (RFC 6455), without I/O: frames to send, messages out of what was received.

The bridge is waited for at its start and with every message. Importing wsproto, with h11, took an eighth of that start
(20 of 150 ms), and a message 0.05 ms, so that this is done here; tests hold it to wsproto. There are no extensions, and
only what a client needs: frames are sent whole and masked, and received without a mask.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Iterator, Mapping
from enum import IntEnum

import attrs

_KEY_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MASK_BYTES = 16 * 1024
_MAX_HEAD_BYTES = 64 * 1024
_FINAL = 0x80
_MASKED = 0x80
_MAX_CONTROL_BYTES = 125


class Opcode(IntEnum):
    """What a frame is (section 5.2)."""

    CONTINUATION = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


_DATA = frozenset({Opcode.CONTINUATION, Opcode.TEXT, Opcode.BINARY})


class FrameError(Exception):
    """What was received is no HTTP response, or not what a WebSocket server may send."""


@attrs.frozen
class Received:
    """A message (`TEXT` or `BINARY`, its fragments put together) or a control frame."""

    opcode: Opcode
    payload: bytes

    @property
    def close_code(self) -> int:
        """Of a `CLOSE`; 1005 when it gives none (section 7.4.1)."""
        return int.from_bytes(self.payload[:2], "big") if len(self.payload) >= 2 else 1005

    @property
    def close_reason(self) -> bytes:
        """Of a `CLOSE`."""
        return self.payload[2:]


class FrameReader:
    """Takes what comes from the server. A message may have so many bytes at most."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._message: bytearray | None = None  # the fragments so far
        self._kind = Opcode.TEXT  # of that message

    def feed(self, data: bytes) -> Iterator[Received]:
        """What is complete with these bytes; `FrameError` for what no server may send."""
        self._buffer += data
        while (frame := self._next_frame()) is not None:
            opcode, final, payload = frame
            if opcode not in _DATA:
                yield Received(opcode, payload)
            elif (message := self._put_together(opcode, payload, final=final)) is not None:
                yield message

    def _put_together(self, opcode: Opcode, payload: bytes, *, final: bool) -> Received | None:
        if (opcode is Opcode.CONTINUATION) is (self._message is None):
            raise FrameError("A message was continued that had not begun, or begun before the last one ended.")
        if self._message is None:
            if final:
                return Received(opcode, payload)
            self._kind, self._message = opcode, bytearray()
        self._message += payload
        if len(self._message) > self._max_bytes:
            raise FrameError(f"The message is larger than {self._max_bytes} bytes.")
        if not final:
            return None
        whole, self._message = bytes(self._message), None
        return Received(self._kind, whole)

    def _next_frame(self) -> tuple[Opcode, bool, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, size = buffer[0], buffer[1]
        start = 4 if size == 126 else 10 if size == 127 else 2
        if len(buffer) < start:
            return None
        if first & 0x70 or size & _MASKED:
            raise FrameError("The frame uses an extension that was not agreed on, or a mask.")
        try:
            opcode = Opcode(first & 0x0F)
        except ValueError as error:
            raise FrameError(f"There is no frame of kind {first & 0x0F}.") from error
        if start > 2:
            size = int.from_bytes(buffer[2:start], "big")
        final = bool(first & _FINAL)
        if opcode not in _DATA and (size > _MAX_CONTROL_BYTES or not final):
            raise FrameError("A control frame is too long, or in parts.")
        if size > self._max_bytes:
            raise FrameError(f"The message is larger than {self._max_bytes} bytes.")
        end = start + size
        if len(buffer) < end:
            return None
        payload = bytes(memoryview(buffer)[start:end])
        del buffer[:end]
        return opcode, final, payload


def frame(opcode: Opcode, payload: bytes) -> bytes:
    """One final frame with a fresh mask."""
    size = len(payload)
    if size < 126:
        head = bytes((_FINAL | opcode, _MASKED | size))
    elif size < 65_536:
        head = bytes((_FINAL | opcode, _MASKED | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((_FINAL | opcode, _MASKED | 127)) + size.to_bytes(8, "big")
    mask = secrets.token_bytes(4)
    repeated = int.from_bytes(mask * (_MASK_BYTES // 4), "big")
    parts = [head, mask]
    for start in range(0, size - size % _MASK_BYTES, _MASK_BYTES):
        block = int.from_bytes(payload[start : start + _MASK_BYTES], "big") ^ repeated
        parts.append(block.to_bytes(_MASK_BYTES, "big"))
    if rest := size % _MASK_BYTES:
        block = int.from_bytes(payload[size - rest :], "big") ^ (repeated >> 8 * (_MASK_BYTES - rest))
        parts.append(block.to_bytes(rest, "big"))
    return b"".join(parts)


@attrs.frozen
class Head:
    """The head of an HTTP response, header names in lower case, and the bytes that came after it."""

    status: int
    headers: Mapping[bytes, bytes]
    rest: bytes


def upgrade_request(host: str, target: str, key: str, headers: Mapping[str, str]) -> bytes:
    """The request for a WebSocket (section 4.1). `key`: see `make_key`."""
    lines = [
        f"GET {target} HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("ascii")


def make_key() -> str:
    """A `Sec-WebSocket-Key`."""
    return base64.b64encode(secrets.token_bytes(16)).decode()


def read_head(received: bytes) -> Head | None:
    """The response's head; None as long as it is not complete."""
    text, end, rest = received.partition(b"\r\n\r\n")
    if not end:
        if len(received) > _MAX_HEAD_BYTES:
            raise FrameError("The response has no end to its head.")
        return None
    status_line, *lines = text.split(b"\r\n")
    version, _, status = status_line.partition(b" ")
    if not version.startswith(b"HTTP/1.") or not status[:3].isdigit():
        raise FrameError("This is no HTTP response.")
    headers = {}
    for line in lines:
        name, _, value = line.partition(b":")
        headers[name.strip().lower()] = value.strip()
    return Head(int(status[:3]), headers, rest)


def check_accepted(head: Head, key: str) -> None:
    """`FrameError` unless the 101 answers the request with this key."""
    wanted = base64.b64encode(hashlib.sha1(key.encode() + _KEY_GUID, usedforsecurity=False).digest())
    if head.headers.get(b"sec-websocket-accept") != wanted or b"sec-websocket-extensions" in head.headers:
        raise FrameError("The server did not accept the WebSocket as it was asked for.")
