"""`{{a.b}}` in the texts of a scenario: finding the variables, and inserting their values.

A text that consists of one placeholder becomes the value itself, with its type; inside a longer text the value is
inserted as text. `{{a.b|url}}` is the value as text, percent-encoded for an address, once for each `|url`. `{{{{`
stands for two braces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import attrs

from kapture.errors import ErrorCode, KaptureError

_PLACEHOLDER = re.compile(r"\{\{\{\{|\{\{\s*(?P<path>[A-Za-z_]\w*(?:\.\w+)*)\s*(?P<url>(?:\|\s*url\s*)*)\}\}", re.ASCII)
_UNESCAPED = "!'()*~{}"
"""As encodeURIComponent leaves them, and braces, so that a placeholder can be shown in an address."""


@attrs.frozen
class Placeholder:
    """The dotted path of a variable, and how many times its value is percent-encoded."""

    path: str
    encoded: int = 0


def roots(value: Any) -> Iterator[str]:
    """The variables named in a JSON value, with repetitions."""
    if isinstance(value, str):
        for found in _PLACEHOLDER.finditer(value):
            if found["path"] is not None:
                yield found["path"].partition(".")[0]
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from roots(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from roots(item)


def pieces(text: str) -> Iterator[str | Placeholder]:
    """The literal parts and the placeholders of a text, in order."""
    end, literal = 0, ""
    for found in _PLACEHOLDER.finditer(text):
        literal += text[end : found.start()]
        end = found.end()
        if found["path"] is None:
            literal += "{{"
            continue
        if literal:
            yield literal
        yield _placeholder(found)
        literal = ""
    if literal + text[end:]:
        yield literal + text[end:]


def encodes(value: Any) -> bool:
    """Whether a JSON value has a placeholder with `|url`."""
    if isinstance(value, str):
        return any(isinstance(piece, Placeholder) and piece.encoded for piece in pieces(value))
    if isinstance(value, Mapping):
        return any(map(encodes, value.values()))
    return isinstance(value, Sequence) and any(map(encodes, value))


def escape(text: str) -> str:
    """The text, escaped so that `substitute` returns it unchanged."""
    return text.replace("{{", "{{{{")


def substitute(value: Any, variables: Mapping[str, Any]) -> Any:
    """The JSON value with every placeholder replaced; `SCENARIO_INVALID` if one has no value."""
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        if whole is not None and whole["path"] is not None and not whole["url"]:
            return look_up(whole["path"], variables)
        return _PLACEHOLDER.sub(lambda found: _written(found, variables), value)
    if isinstance(value, Mapping):
        return {key: substitute(item, variables) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [substitute(item, variables) for item in value]
    return value


def look_up(path: str, variables: Mapping[str, Any]) -> Any:
    """The value at a dotted path; a number is an index of a list. `SCENARIO_INVALID` if there is none."""
    found: Any = variables
    taken: list[str] = []
    for part in path.split("."):
        if isinstance(found, Mapping) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdecimal() and int(part) < len(found):
            found = found[int(part)]
        else:
            known = ", ".join(sorted(map(str, found))) if isinstance(found, Mapping) else "none"
            raise KaptureError(
                ErrorCode.SCENARIO_INVALID,
                f"{{{{{path}}}}} has no value: there is no {part!r} in {'.'.join(taken) or 'the variables'}. "
                f"Known there: {known or 'none'}.",
                hint="Change the placeholder, or capture what it names in an earlier step.",
                data={"placeholder": path},
            )
        taken.append(part)
    return found


def encoded(text: str) -> str:
    """A text percent-encoded for an address, as `|url` does once."""
    return quote(text, safe=_UNESCAPED, errors="replace")


def _placeholder(found: re.Match[str]) -> Placeholder:
    return Placeholder(found["path"], found["url"].count("|"))


def _written(found: re.Match[str], variables: Mapping[str, Any]) -> str:
    if found["path"] is None:
        return "{{"
    placeholder = _placeholder(found)
    value = look_up(placeholder.path, variables)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    for _ in range(placeholder.encoded):
        text = encoded(text)
    return text
