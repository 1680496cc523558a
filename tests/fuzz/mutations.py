"""Input that is almost right: a good example with a few changes, as faults and attackers make them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

_SCRAPS = (
    *("null", "true", "-1", "0", "1e999", "9" * 400, '""', "[]", "{}", '"\\ud800"', '"\\u0000"', "\U0010ffff", "\r\n"),
    *("\x00", "\x7f", '"', "\\", "{", "}", "[", "]", ",", ":", "=", ".", "/", "../", "%2e", "*", " " * 70, "é", "ﬀ"),
    *("https://a.test/", "data:", "javascript:", "file:///etc/passwd", "-" * 300, "a" * 5_000),
)
_DEEP = 3_000
_MOST_CHANGES = 6


def mutated(chosen: random.Random, examples: Sequence[str]) -> str:
    """One of these texts with up to six changes; now and then something nested deeply, or nothing but noise."""
    text = chosen.choice(examples)
    for _ in range(chosen.randint(0, _MOST_CHANGES)):
        text = chosen.choice(_CHANGES)(chosen, text)
    return text


def as_bytes(chosen: random.Random, text: str) -> bytes:
    """The text in UTF-8, now and then with bytes that are none."""
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    if data and chosen.random() < 0.2:
        data[chosen.randrange(len(data))] = chosen.randrange(256)
    return bytes(data)


def _span(chosen: random.Random, text: str) -> tuple[int, int]:
    first, second = chosen.randint(0, len(text)), chosen.randint(0, len(text))
    return min(first, second), max(first, second)


def _cut(chosen: random.Random, text: str) -> str:
    start, end = _span(chosen, text)
    return text[:start] + text[end:]


def _truncate(chosen: random.Random, text: str) -> str:
    return text[: chosen.randint(0, len(text))]


def _repeat(chosen: random.Random, text: str) -> str:
    start, end = _span(chosen, text)
    return text[:end] + text[start:end] * chosen.randint(1, 3) + text[end:] if len(text) < 100_000 else text


def _insert(chosen: random.Random, text: str) -> str:
    at = chosen.randint(0, len(text))
    return text[:at] + chosen.choice(_SCRAPS) + text[at:]


def _replace(chosen: random.Random, text: str) -> str:
    if not text:
        return text
    at = chosen.randrange(len(text))
    return text[:at] + chr(chosen.choice((chosen.randrange(128), chosen.randrange(0xD800)))) + text[at + 1 :]


def _nest(chosen: random.Random, text: str) -> str:
    if chosen.random() > 0.05:
        return text
    at = chosen.randint(0, len(text))
    opening, closing = chosen.choice((("[", "]"), ('{"a":', "}")))
    return text[:at] + opening * _DEEP + "1" + closing * chosen.choice((0, _DEEP)) + text[at:]


def _change_a_value(chosen: random.Random, text: str) -> str:
    """Mutate a JSON text: one value becomes another, or one key goes."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    holders: list[Any] = []
    waiting = [value]
    while waiting:
        held = waiting.pop()
        if isinstance(held, dict | list) and held:
            holders.append(held)
            waiting += held.values() if isinstance(held, dict) else held
    if not holders:
        return chosen.choice(_SCRAPS)
    holder = chosen.choice(holders)
    key = chosen.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    if isinstance(holder, dict) and chosen.random() < 0.3:
        del holder[key]
    else:
        holder[key] = chosen.choice(
            (None, True, -1, 10**30, 10**400, 1.5, "", "x" * 300, "\ud800", [], {}, [[]], {"a": [None]})
        )
    return json.dumps(value)


def _move_lines(chosen: random.Random, text: str) -> str:
    """Mutate a text of several lines: some change places, come twice, or go; or one is changed like a text."""
    lines = text.split("\n")
    if len(lines) < 2:
        return text
    at = chosen.randrange(len(lines))
    match chosen.randrange(5):
        case 0:
            chosen.shuffle(lines)
        case 1:
            lines.insert(chosen.randrange(len(lines)), lines[at])
        case 2:
            del lines[at]
        case 3:
            lines.append(lines.pop(at))
        case _:
            lines[at] = _change_a_value(chosen, lines[at])
    return "\n".join(lines)


_CHANGES: tuple[Callable[[random.Random, str], str], ...] = (
    *(_cut, _truncate, _repeat, _insert, _replace, _replace, _nest),
    *(_change_a_value, _change_a_value, _change_a_value, _move_lines, _move_lines, _move_lines),
)
