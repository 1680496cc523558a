"""Typed text found again in an address, where a form sent by GET puts it.

Values are compared with what the address means, whatever of it is percent-encoded, and also where it holds another
address. Scheme, host and port are left alone: no value leads to another site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote_plus

import attrs

from kapture.scenarios.parameters.placeholders import escape

_SHORT = 4
"""A shorter value is found only where it is a whole word; so is the name of a person, which may be part of others."""

_LEAST_EQUAL = 3
"""Characters that a parameter must have to be found where the address does not name its field."""

_IDENTITY = frozenset({"email", "phone", "username"})
_MOST_LAYERS = 3
_AUTHORITY = re.compile(r"(?:[a-z][a-z0-9+.\-]*:)?//(?:(?P<person>[^/?#\\]*)@)?[^/?#\\@]*", re.IGNORECASE)
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_COMPONENTS = re.compile(r"[^/?&=#;]+")
_DELIMITERS = "/?&=#;:,"
_PAIR = re.compile(r"[?&#;]([^=&#;?/]+)=([^&#;]+)")
_KEYS = (
    (re.compile(r"pass ?(word|wd|code|phrase)?|pwd|passwort|kennwort"), "password"),
    (re.compile(r"(otp|totp|one ?time ?(code|password|pin))"), "one_time_code"),
    (re.compile(r"(cvv|cvc|csc)2?"), "card_code"),
    (re.compile(r"(card|cc) ?(number|no|num)"), "card_number"),
    (re.compile(r"((access|auth|api|bearer|id|refresh|secret|session) ?)?(token|jwt)"), "token"),
    (re.compile(r"(api|access|secret|private) ?key|(client ?)?secret"), "token"),
)
"""Names of fields of an address, or arguments of a tool, that hold a secret, as the words that they are made of."""


@attrs.frozen(kw_only=True)
class Typed:
    """A value that was typed, under the `name` of its secret or parameter. `kind` is that of a secret; `field` is the
    HTML name of a parameter's field."""

    name: str
    value: str = attrs.field(repr=False)
    kind: str | None = None
    field: str = ""


@attrs.frozen
class Found:
    """Where in an address a value stands, and how many times it is percent-encoded there."""

    start: int
    end: int
    typed: Typed
    encoded: int


def find(address: str, typed: Sequence[Typed]) -> list[Found]:
    """Where any of these values stands, in order and without overlaps. Of secrets that overlap nothing is left: see
    `joined`."""
    found = [one for value in typed for one in (_secret(address, value) if value.kind else _whole(address, value))]
    found.sort(key=_in_order)
    kept: list[Found] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif one.typed.kind and one.end > kept[-1].end:
            kept.append(attrs.evolve(one, start=kept[-1].end))
    return kept


def _in_order(found: Found) -> tuple[int, int, int]:
    """By where it starts, the longest first."""
    return found.start, -found.end, -found.encoded


def joined(address: str, secrets: Sequence[Typed]) -> Iterator[tuple[str, str]]:
    """Kind and value of what secrets that overlap in the address make together: a reference to one of them would leave
    the other incomplete."""
    found = sorted((one for secret in secrets for one in _secret(address, secret)), key=_in_order)
    union: Found | None = None
    for one in found:
        if union is None or one.start >= union.end:
            union = one
        elif one.end > union.end and (typed := _together(address, union, one)) is not None:
            yield typed.kind or "", typed.value
            union = Found(union.start, one.end, typed, union.encoded)


def _together(address: str, first: Found, second: Found) -> Typed | None:
    """One value that stands where both do."""
    before, after = first.typed.value, second.typed.value
    kind = second.typed.kind if first.typed.kind in _IDENTITY else first.typed.kind
    for shared in range(min(len(before), len(after)) - 1, 0, -1):
        typed = Typed(name="", value=before + after[shared:], kind=kind)
        if before.endswith(after[:shared]) and any(
            (one.start, one.end) == (first.start, second.end) for one in _secret(address, typed)
        ):
            return typed
    return None


def with_references(address: str, found: Sequence[Found]) -> str:
    """The address as a step's argument, with placeholders for what was found."""
    return "".join(
        escape(part) if isinstance(part, str) else f"{{{{{part.typed.name}{'|url' * part.encoded}}}}}"
        for part in _parts(address, found)
    )


def as_glob(address: str, found: Sequence[Found]) -> str:
    """A glob of the address in which anything may stand for what was found."""
    return "".join(part if isinstance(part, str) else "*" for part in _parts(address, found))


def holds(text: str, values: Sequence[str]) -> bool:
    """Whether a selector, or another text that may be an address, holds one of these values as a word."""
    typed = [Typed(name="", value=value, kind="username") for value in values]
    return any(True for value in typed for _ in _matches(text, 0, len(text), value))


def secrets_of(address: str) -> Iterator[tuple[str, str]]:
    """Kind and value of what the address itself says is a secret: `?password=…`, and a password before its host."""
    authority = _AUTHORITY.match(address)
    person = authority["person"] if authority is not None else None
    if person is not None and (password := person.partition(":")[2]):
        yield "password", _unquoted(password)
    for depth, layer in enumerate(_layers(address, 0, len(address))):
        for pair in _PAIR.finditer(layer.text):
            if layer.width(pair.start()) == _width(depth) and (kind := kind_of(unquote_plus(pair[1]))) is not None:
                yield kind, unquote_plus(pair[2])


def _secret(address: str, typed: Typed) -> Iterator[Found]:
    """A secret, wherever it stands after the host, and before it in a user's name and password."""
    start, authority = 0, _AUTHORITY.match(address)
    if authority is not None:
        start = authority.end()
        if authority["person"] is not None:
            yield from _matches(address, *authority.span("person"), typed)
    yield from _matches(address, start, len(address), typed)


def _matches(address: str, start: int, end: int, typed: Typed) -> Iterator[Found]:
    if not typed.value:
        return
    pattern = "|".join(_pattern(value) for value in {typed.value, re.sub(r"\r?\n", "\r\n", typed.value)})
    if len(typed.value) < _SHORT or typed.kind in _IDENTITY:
        pattern = rf"(?<!\w)(?:{pattern})(?!\w)"
    for depth, layer in enumerate(_layers(address, start, end)):
        for match in re.finditer(pattern, layer.text):
            if _splits_escape(layer.text, match.start()) or _splits_escape(layer.text, match.end()):
                continue
            before = match.start() - 1
            nested = _depth(layer.width(before)) + 1 if before >= 0 and layer.text[before] in _DELIMITERS else 1
            yield Found(layer.starts[match.start()], layer.starts[match.end()], typed, max(1, depth, nested))


def _splits_escape(text: str, at: int) -> bool:
    return any(_ESCAPE.match(text, before) for before in (at - 1, at - 2) if before >= 0)


def _pattern(value: str) -> str:
    return re.escape(value).replace(r"\ ", "[ +]")


def _whole(address: str, typed: Typed) -> Iterator[Found]:
    """A parameter, where it is a whole part of the path, or all that a field has."""
    authority = _AUTHORITY.match(address)
    key = ""
    for part in _COMPONENTS.finditer(address, authority.end() if authority is not None else 0):
        named = part.start() > 0 and address[part.start() - 1] == "=" and key == typed.field != ""
        key = unquote_plus(part[0])
        if key == typed.value and (named or len(typed.value) >= _LEAST_EQUAL):
            yield Found(part.start(), part.end(), typed, 1)


def _parts(address: str, found: Sequence[Found]) -> Iterator[str | Found]:
    at = 0
    for one in found:
        yield address[at : one.start]
        yield one
        at = one.end
    yield address[at:]


def kind_of(name: str) -> str | None:
    """The kind of secret, such as `password`, that something of this name holds; None if it is none."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+", " ", name).strip().lower()
    return next((kind for pattern, kind in _KEYS if pattern.fullmatch(words)), None)


@attrs.frozen
class _Layer:
    """A text that has been decoded some number of times; `starts` are the offsets of its characters in the address, and
    that of its end."""

    text: str
    starts: Sequence[int]

    def width(self, at: int) -> int:
        """How many characters of the address one of these is written with."""
        return self.starts[at + 1] - self.starts[at]


def _width(depth: int) -> int:
    """Return the spelling of an ASCII character that is percent-encoded so many times: `=`, `%3D`, `%253D`."""
    return 1 + 2 * depth


def _depth(width: int) -> int:
    return (width - 1) // 2


def _layers(address: str, start: int, end: int) -> Iterator[_Layer]:
    layer = _Layer(address[start:end], range(start, end + 1))
    yield layer
    for _ in range(_MOST_LAYERS):
        if _ESCAPES.search(layer.text) is None:
            return
        layer = _decoded(layer)
        yield layer


def _decoded(layer: _Layer) -> _Layer:
    text: list[str] = []
    starts: list[int] = []
    at = 0
    for escapes in _ESCAPES.finditer(layer.text):
        text += layer.text[at : escapes.start()]
        starts += layer.starts[at : escapes.start()]
        at = escapes.start()
        for character, size in _characters(bytes.fromhex(escapes[0].replace("%", ""))):
            text.append(character)
            starts.append(layer.starts[at])
            at += 3 * size
    return _Layer("".join(text) + layer.text[at:], [*starts, *layer.starts[at:]])


def _characters(encoded: bytes) -> Iterator[tuple[str, int]]:
    """Each character and its number of bytes: UTF-8, or Latin-1 where it is not that, as forms of old pages are."""
    at = 0
    while at < len(encoded):
        for size in (1, 2, 3, 4):
            try:
                yield encoded[at : at + size].decode(), size
                break
            except UnicodeDecodeError:
                continue
        else:
            size = 1
            yield chr(encoded[at]), size
        at += size


def _unquoted(text: str) -> str:
    return _decoded(_Layer(text, range(len(text) + 1))).text
