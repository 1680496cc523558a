"""`{{a.b}}` in the texts of a scenario: finding the variables, and inserting their values.

A text that consists of one placeholder becomes the value itself, with its type; inside a longer text the value is
inserted as text. `{{{{` stands for two braces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kapture.errors import ErrorCode, KaptureError

_PLACEHOLDER = re.compile(r"\{\{\{\{|\{\{\s*([A-Za-z_]\w*(?:\.\w+)*)\s*\}\}", re.ASCII)


def roots(value: Any) -> Iterator[str]:
    """The variables named in a JSON value, with repetitions."""
    if isinstance(value, str):
        for found in _PLACEHOLDER.finditer(value):
            if found[1] is not None:
                yield found[1].partition(".")[0]
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from roots(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from roots(item)


def pieces(text: str) -> Iterator[tuple[bool, str]]:
    """The text in order: literal pieces as (False, text), placeholders as (True, dotted path)."""
    end, literal = 0, ""
    for found in _PLACEHOLDER.finditer(text):
        literal += text[end : found.start()]
        end = found.end()
        if found[1] is None:
            literal += "{{"
            continue
        if literal:
            yield False, literal
        yield True, found[1]
        literal = ""
    if literal + text[end:]:
        yield False, literal + text[end:]


def escape(text: str) -> str:
    """The text, escaped so that `substitute` returns it unchanged."""
    return text.replace("{{", "{{{{")


def substitute(value: Any, variables: Mapping[str, Any]) -> Any:
    """The JSON value with every placeholder replaced; `SCENARIO_INVALID` if one has no value."""
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        if whole is not None and whole[1] is not None:
            return look_up(whole[1], variables)
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
                f"{{{{{path}}}}} has no value: there is no {part!r} in {'.'.join(taken) or 'the variables'}.",
                hint=f"Known there: {known or 'none'}.",
                data={"placeholder": path},
            )
        taken.append(part)
    return found


def _written(found: re.Match[str], variables: Mapping[str, Any]) -> str:
    if found[1] is None:
        return "{{"
    value = look_up(found[1], variables)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
