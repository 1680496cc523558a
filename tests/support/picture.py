"""Decoding screenshots: sizes of all formats, and the colours of PNGs."""

from __future__ import annotations

import base64
import struct
import zlib
from functools import lru_cache

import attrs

from kapture.commands.core.answer import CallResult


@attrs.frozen
class Png:
    """A decoded PNG: 8 bits a channel, not interlaced, as Chromium writes them."""

    width: int
    height: int
    channels: int
    rows: tuple[bytes, ...]

    def at(self, x: float, y: float) -> tuple[int, int, int]:
        """Red, green and blue."""
        start = int(x) * self.channels
        red, green, blue = self.rows[int(y)][start : start + 3]
        return red, green, blue

    def holds(self, colour: tuple[int, int, int]) -> bool:
        """Whether any pixel has this colour."""
        wanted = bytes(colour)
        return any(
            row[start : start + 3] == wanted
            for row in set(self.rows)
            if wanted in row
            for start in range(0, len(row), self.channels)
        )


def png(result: CallResult) -> Png:
    """The picture of an answer."""
    return decoded(picture(result))


def decoded(content: bytes) -> Png:
    """A PNG."""
    width, height, depth, kind = struct.unpack(">IIBB", content[16:26])
    assert depth == 8
    channels = {2: 3, 6: 4}[kind]
    data, position = b"", 8
    while position < len(content):
        (length,) = struct.unpack(">I", content[position : position + 4])
        if content[position + 4 : position + 8] == b"IDAT":
            data += content[position + 8 : position + 8 + length]
        position += 12 + length
    return Png(width, height, channels, _unfiltered(zlib.decompress(data), width * channels, channels))


def picture(result: CallResult) -> bytes:
    """The bytes of the one picture of an answer."""
    (part,) = result.parts
    return base64.b64decode(part.base64)


def size(content: bytes) -> tuple[str, int, int]:
    """Format, width and height, by the file's own head."""
    if content[:8] == b"\x89PNG\r\n\x1a\n":
        return "png", *struct.unpack(">II", content[16:24])
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp", *_webp_size(content)
    assert content[:2] == b"\xff\xd8"
    position = 2
    while content[position + 1] not in (0xC0, 0xC1, 0xC2):
        position += 2 + struct.unpack(">H", content[position + 2 : position + 4])[0]
    height, width = struct.unpack(">HH", content[position + 5 : position + 9])
    return "jpeg", width, height


def _webp_size(content: bytes) -> tuple[int, int]:
    kind = content[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", content[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _unfiltered(data: bytes, stride: int, channels: int) -> tuple[bytes, ...]:
    rows = []
    above = bytes(stride)
    for start in range(0, len(data), stride + 1):
        above = _row(data[start], data[start + 1 : start + 1 + stride], above, channels)
        rows.append(above)
    return tuple(rows)


@lru_cache(maxsize=1_000)  # most rows of a page, and of the next picture of it, are alike
def _row(kind: int, filtered: bytes, above: bytes, channels: int) -> bytes:
    """Undo a PNG filter (https://www.w3.org/TR/png-3/#9Filter-types)."""
    if kind == 0:
        return filtered
    if kind == 2:
        return bytes([(value + up) & 255 for value, up in zip(filtered, above, strict=True)])
    predict = {1: _left, 3: _average, 4: _paeth}[kind]
    row = bytearray(len(filtered))
    for channel in range(channels):
        left = corner = 0
        values = []
        for value, up in zip(filtered[channel::channels], above[channel::channels], strict=True):
            left = (value + predict(left, up, corner)) & 255
            corner = up
            values.append(left)
        row[channel::channels] = bytes(values)
    return bytes(row)


def _left(left: int, up: int, corner: int) -> int:
    return left


def _average(left: int, up: int, corner: int) -> int:
    return (left + up) // 2


def _paeth(left: int, up: int, corner: int) -> int:
    if up == corner:
        return left
    if left == corner:
        return up
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))
