"""WebSocket frames (RFC 6455, section 5) as bytes, without I/O. Extensions are not supported.

wsproto reads and masks byte by byte in several passes, which took more of the hub's time than running a command did.
"""

from __future__ import annotations

from typing import Final

CONTINUATION: Final = 0
TEXT: Final = 1
BINARY: Final = 2
CLOSE: Final = 8
PING: Final = 9
PONG: Final = 10

PROTOCOL_ERROR: Final = 1002
NO_CODE: Final = 1005  # never sent: a close frame without a code
ABNORMAL: Final = 1006  # never sent: the connection ended without a close frame
INVALID_TEXT: Final = 1007
TOO_LARGE: Final = 1009

_FINAL = 0x80
_RESERVED = 0x70
_MASKED = 0x80
_MOST_OF_CONTROL_FRAME = 125
_MASK_BLOCK = 16 * 1024


class FrameError(Exception):
    """The other end has broken the protocol; `code` is the close code that says how."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class FrameReader:
    """Splits bytes into messages and control frames. `masked`: the other end is a client, which masks its frames."""

    def __init__(self, *, masked: bool, max_message_bytes: int, received: bytes = b"") -> None:
        self._masked = masked
        self._max_message_bytes = max_message_bytes
        self._buffer = bytearray(received)
        self._opcode = CONTINUATION  # of the message whose first fragments have come
        self._fragments = bytearray()

    def feed(self, data: bytes | bytearray) -> None:
        """Add bytes."""
        self._buffer += data

    def next(self) -> tuple[int, bytes] | None:
        """The next whole message or control frame, as its opcode and payload; None if more bytes are needed.

        Raises `FrameError`; nothing can be read after it.
        """
        while (frame := self._next_frame()) is not None:
            final, opcode, payload = frame
            if opcode >= CLOSE or (final and self._opcode == CONTINUATION):
                return opcode, payload
            self._opcode = self._opcode or opcode
            self._fragments += payload
            if final:
                opcode, payload = self._opcode, bytes(self._fragments)
                self._opcode = CONTINUATION
                self._fragments.clear()
                return opcode, payload
        return None

    def _next_frame(self) -> tuple[bool, int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, second = buffer[0], buffer[1]
        opcode, size, start = first & 0x0F, second & 0x7F, 2
        self._check_head(first, second)
        if size >= 126:
            start = 4 if size == 126 else 10
            if len(buffer) < start:
                return None
            size = int.from_bytes(buffer[2:start], "big")
            if size < 126 or (start == 10 and not 0x10000 <= size < 1 << 63):
                raise FrameError(PROTOCOL_ERROR, "invalid length of a frame")
        if opcode < CLOSE and len(self._fragments) + size > self._max_message_bytes:
            raise FrameError(TOO_LARGE, f"a message may have {self._max_message_bytes} bytes at most")
        key_start, start = start, start + 4 * self._masked
        end = start + size
        if len(buffer) < end:
            return None
        payload = bytes(memoryview(buffer)[start:end])
        if self._masked:
            payload = mask(payload, bytes(buffer[key_start:start]))
        del buffer[:end]
        return bool(first & _FINAL), opcode, payload

    def _check_head(self, first: int, second: int) -> None:
        opcode = first & 0x0F
        if first & _RESERVED or BINARY < opcode < CLOSE or opcode > PONG:
            raise FrameError(PROTOCOL_ERROR, "unknown kind of frame")
        if bool(second & _MASKED) is not self._masked:
            raise FrameError(PROTOCOL_ERROR, "clients, and only they, must mask their frames")
        if opcode >= CLOSE:
            if not first & _FINAL or second & 0x7F > _MOST_OF_CONTROL_FRAME:
                raise FrameError(PROTOCOL_ERROR, "a control frame must be short and whole")
        elif (opcode == CONTINUATION) is (self._opcode == CONTINUATION):
            raise FrameError(PROTOCOL_ERROR, "a fragment without its beginning, or a message inside another")


def write_frame(opcode: int, payload: bytes, *, key: bytes | None = None) -> bytes:
    """One final frame. `key`: masked with these 4 bytes, as clients must."""
    size, masked = len(payload), 0 if key is None else _MASKED
    if size < 126:
        head = bytes((_FINAL | opcode, masked | size))
    elif size < 0x10000:
        head = bytes((_FINAL | opcode, masked | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((_FINAL | opcode, masked | 127)) + size.to_bytes(8, "big")
    return head + payload if key is None else head + key + mask(payload, key)


def mask(payload: bytes, key: bytes) -> bytes:
    """Mask or unmask (section 5.3), in blocks: one large number would take time in the square of its size."""
    size = len(payload)
    if size <= _MASK_BLOCK:
        return _xor(payload, key * (size // 4 + 1))
    repeated = key * (_MASK_BLOCK // 4)
    return b"".join(_xor(payload[start : start + _MASK_BLOCK], repeated) for start in range(0, size, _MASK_BLOCK))


def _xor(block: bytes, repeated: bytes) -> bytes:
    size = len(block)
    return (int.from_bytes(block, "big") ^ int.from_bytes(repeated[:size], "big")).to_bytes(size, "big")


def close_payload(code: int, reason: str) -> bytes:
    """The payload of a close frame, its reason cut to what fits."""
    return code.to_bytes(2, "big") + reason.encode()[: _MOST_OF_CONTROL_FRAME - 2].decode(errors="ignore").encode()


def read_close(payload: bytes) -> tuple[int, str]:
    """The code and reason of a close frame; `FrameError` if they are invalid (section 7.4)."""
    if not payload:
        return NO_CODE, ""
    code = int.from_bytes(payload[:2], "big")
    if len(payload) < 2 or not 1000 <= code < 5000 or code in (1004, NO_CODE, ABNORMAL, 1015) or 1015 < code < 3000:
        raise FrameError(PROTOCOL_ERROR, "invalid close code")
    return code, read_text(payload[2:])


def read_text(payload: bytes) -> str:
    """The text of a payload; `FrameError` if it is not UTF-8."""
    try:
        return payload.decode()
    except UnicodeDecodeError:
        raise FrameError(INVALID_TEXT, "text must be UTF-8") from None
