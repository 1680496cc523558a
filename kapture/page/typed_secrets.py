"""Texts typed into password fields of a tab, to be redacted wherever its requests show it.

The agent reports what such a field holds (kapture/page/agent/record/passwords.js), whoever has typed it. The hub keeps
salted hashes of it, plain, in UTF-16, hexadecimal and base64, and of its longer beginnings; and three bytes of each, by
which places to compare are found in linear time. Texts are compared as they stand and without the escapes of URLs,
JSON, JavaScript and HTML. The newest `MOST_VALUES` are kept for as long as the tab is connected, because requests are
shown when their document is long gone.

Not found: values of fewer than `FEWEST_CHARS` characters or more than `MOST_CHARS`, parts from the middle, other
spellings (encrypted, compressed, in capitals, base64 of anything but UTF-8, a list of characters), what is split
between messages, and fields in closed shadow roots or that only scripts filled.
"""

from __future__ import annotations

import base64
import html
import json
import re
import secrets
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any

import attrs

from kapture.cdp import CdpSession

PASSWORD_BINDING = "kapturePassword"  # noqa: S105  a name
"""The binding that the agent calls with what a password field holds."""

REDACTED = "(redacted)"
FEWEST_CHARS = 4
MOST_CHARS = 500
MOST_VALUES = 32
MOST_BYTES = 250_000
_SURE_CHARS = 6
"""A beginning of this length is taken for the value, which may have been sent while it was typed."""
_HEAD_BYTES = 3
_MOST_COMPARED = 50_000
"""Hashes that are made for one text; of one that needs more nothing is shown."""
_MARK = REDACTED.encode()
_ROUNDS = 2
"""How often a text may be escaped."""
_ESCAPE = re.compile(
    rb"%[0-9A-Fa-f]{2}|(?:[\\%]u[0-9A-Fa-f]{4}){1,2}|\\x[0-9A-Fa-f]{2}|\\[\"\\/bfnrt]|&#[0-9]{1,7};"
    rb"|&#[xX][0-9A-Fa-f]{1,6};|&[a-z]{2,6};"
)

_SALT = secrets.token_bytes(16)


@attrs.frozen
class _Spelling:
    """`digests`: of each beginning, the shortest of `least` bytes. `before` and `after`: bytes around it that hold bits
    of it, too."""

    head: bytes
    least: int
    digests: tuple[bytes, ...]
    before: int = 0
    after: int = 0


class TypedSecrets:
    """The typed secrets of one tab. `observe` is called for every CDP session of its page."""

    def __init__(self) -> None:
        self._values: deque[tuple[_Spelling, ...]] = deque(maxlen=MOST_VALUES)

    def after(self, earlier: TypedSecrets) -> None:
        """Know what was known of the same tab before its page was set up again: fields report a value once."""
        self._values.extendleft(reversed(earlier._values))

    async def observe(self, session: CdpSession) -> None:
        """Subscribe to the events of one session."""
        session.on("Runtime.bindingCalled", self._called)

    def _called(self, params: dict[str, Any]) -> None:
        if params["name"] == PASSWORD_BINDING:
            self.add(str(params["payload"]))

    def add(self, value: str) -> None:
        """Note a value; one that it continues is dropped for it."""
        if not FEWEST_CHARS <= len(value) <= MOST_CHARS:
            return
        spellings = tuple({one.digests[-1]: one for one in self._spellings(value)}.values())
        new = spellings[0]
        for kept in tuple(self._values):
            if _continues(kept[0], new):
                return
            if _continues(new, kept[0]):
                self._values.remove(kept)
        self._values.append(spellings)

    def in_text(self, text: str) -> str:
        """The text without them."""
        if not self._values:
            return text
        sent = text.encode("utf-8", "surrogatepass")
        found = self.in_bytes(sent)
        return text if found is sent else found.decode("utf-8", "replace")

    def in_bytes(self, sent: bytes) -> bytes:
        """The same of bytes. Of very many, once there is something to look for, only the first are shown."""
        if not self._values:
            return sent
        if (more := len(sent) - MOST_BYTES) > 0:
            return self.in_bytes(sent[:MOST_BYTES]) + f"(redacted: {more} more bytes)".encode()
        try:
            spans = sorted(self._spans(sent))
        except OverflowError:
            return _MARK
        if not spans:
            return sent
        kept: list[bytes] = []
        at = 0
        for start, end in spans:
            if start >= at or not kept:
                kept += [sent[at:start], _MARK]
            at = max(at, end)
        return b"".join([*kept, sent[at:]])

    def _spans(self, sent: bytes, rounds: int = _ROUNDS) -> Iterator[tuple[int, int]]:
        """Where they are, as it stands and unescaped; `OverflowError` if there is too much to compare."""
        compared = 0
        for spelling in (one for value in self._values for one in value):
            at = sent.find(spelling.head)
            while at >= 0:
                length = self._length_at(sent, at, spelling)
                compared += 1 + max(0, length - spelling.least)
                if compared > _MOST_COMPARED:
                    raise OverflowError
                if length:
                    yield max(0, at - spelling.before), min(len(sent), at + length + spelling.after)
                at = sent.find(spelling.head, at + 1)
        if rounds and _ESCAPE.search(sent) is not None:
            unescaped = _Unescaped(sent)
            for start, end in self._spans(unescaped.text, rounds - 1):
                yield unescaped.start(start), unescaped.end(end)

    def _length_at(self, sent: bytes, at: int, spelling: _Spelling) -> int:
        """The length of the longest beginning that stands there; 0 if none does."""
        length = 0
        digest = self._digest(sent[at : at + spelling.least])
        for number, expected in enumerate(spelling.digests):
            if digest.digest() != expected:
                break
            length = spelling.least + number
            digest.update(sent[at + length : at + length + 1])
        return length

    def _digest(self, sent: bytes) -> blake2b:
        return blake2b(sent, key=_SALT, digest_size=16)

    def _spellings(self, value: str) -> Iterator[_Spelling]:
        yield self._spelling(value, _utf8)
        if " " in value:
            yield self._spelling(value, lambda text: _utf8(text.replace(" ", "+")))  # as forms do
        if not value.isascii():
            yield self._spelling(value, lambda text: text.encode("latin-1", "replace"))
        yield self._spelling(value, lambda text: text.encode("utf-16-le", "surrogatepass"))
        yield self._spelling(value, lambda text: text.encode("utf-16-be", "surrogatepass"))
        yield self._spelling(value, lambda text: _utf8(text).hex().encode())
        yield self._spelling(value, lambda text: _utf8(text).hex().upper().encode())
        for offset in range(3):
            for encode in (base64.b64encode, base64.urlsafe_b64encode):
                part = lambda text, encode=encode, offset=offset: _base64_of(text, offset, encode)  # noqa: E731
                yield attrs.evolve(self._spelling(value, part), before=min(offset, 1), after=1)

    def _spelling(self, value: str, spell: Callable[[str], bytes]) -> _Spelling:
        whole, sure = spell(value), len(spell(value[:_SURE_CHARS]))
        digest, digests = self._digest(whole[:sure]), []
        for end in range(sure, len(whole) + 1):
            digests.append(digest.digest())
            digest.update(whole[end : end + 1])
        return _Spelling(whole[:_HEAD_BYTES], sure, tuple(digests))


def _continues(longer: _Spelling, shorter: _Spelling) -> bool:
    number = shorter.least + len(shorter.digests) - 1 - longer.least
    return 0 <= number < len(longer.digests) and longer.digests[number] == shorter.digests[-1]


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _base64_of(text: str, offset: int, encode: Callable[[bytes], bytes]) -> bytes:
    """Return the characters that encode nothing but the text, where `offset` bytes stand before it."""
    raw = _utf8(text)
    return encode(b"\0" * offset + raw)[(0, 2, 3)[offset] : (offset + len(raw)) * 8 // 6]


class _Unescaped:
    """Bytes without the escapes of URLs, JSON and HTML, and where each part of them stood."""

    def __init__(self, sent: bytes) -> None:
        parts: list[bytes] = []
        self._at: list[int] = []
        self._from: list[tuple[int, int]] = []
        size = end = 0

        def add(part: bytes, start: int, stop: int) -> None:
            nonlocal size
            if part:
                parts.append(part)
                self._at.append(size)
                self._from.append((start, stop))
                size += len(part)

        for escape in _ESCAPE.finditer(sent):
            add(sent[end : escape.start()], end, escape.start())
            add(_plain(escape[0]), *escape.span())
            end = escape.end()
        add(sent[end:], end, len(sent))
        self.text = b"".join(parts)

    def start(self, at: int) -> int:
        """Where this place of the text stood; of an escape where that began."""
        number = bisect_right(self._at, at) - 1
        return self._from[number][0] + (at - self._at[number] if self._is_literal(number) else 0)

    def end(self, at: int) -> int:
        """Where the text up to this place stood; of an escape where that ended."""
        number = bisect_right(self._at, at - 1) - 1
        start, stop = self._from[number]
        return start + at - self._at[number] if self._is_literal(number) else stop

    def _is_literal(self, number: int) -> bool:
        following = self._at[number + 1] if number + 1 < len(self._at) else len(self.text)
        start, stop = self._from[number]
        return following - self._at[number] == stop - start


def _plain(escape: bytes) -> bytes:
    """Decode an escape."""
    if escape[:1] == b"%" and escape[1:2] != b"u":
        return bytes.fromhex(escape[1:].decode())
    if escape[:1] == b"&":
        return html.unescape(escape.decode()).encode("utf-8", "surrogatepass")
    plain = escape.decode().replace("%u", "\\u").replace("\\x", "\\u00")
    text: str = json.loads(f'"{plain}"')
    return text.encode("utf-8", "surrogatepass")
