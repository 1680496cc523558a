"""WebSocket frames as clients send them."""

from __future__ import annotations

import secrets

_MASK_BYTES = 16 * 1024


def text_frame(payload: bytes) -> bytes:
    """One final text frame with a fresh mask (RFC 6455, section 5.2)."""
    size = len(payload)
    if size < 126:
        head = bytes((0x81, 0x80 | size))
    elif size < 65_536:
        head = bytes((0x81, 0x80 | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((0x81, 0x80 | 127)) + size.to_bytes(8, "big")
    mask = secrets.token_bytes(4)
    block = min(size + -size % 4, _MASK_BYTES)
    repeated = int.from_bytes(mask * (block // 4), "big")
    parts = [head, mask]
    for start in range(0, size, _MASK_BYTES):
        part = payload[start : start + _MASK_BYTES]
        masked = int.from_bytes(part, "big") ^ (repeated >> 8 * (block - len(part)))
        parts.append(masked.to_bytes(len(part), "big"))
    return b"".join(parts)
