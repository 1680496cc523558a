"""Sets or removes one table of a TOML file, preserving every other line."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from kapture import toml_text
from kapture.toml_text import statements


class TomlEditError(ValueError):
    """The file is not TOML, or writes the table in a way that cannot be edited line by line."""


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"[ \t]*\[")


@attrs.frozen
class _Statement:
    """A header, or a key with its value: one line or several. The path is from the file's root, through inline tables
    of one key too; it is empty for a blank line or a comment."""

    text: str
    path: tuple[str, ...]


def loads(text: str) -> dict[str, Any]:
    """Parse; `TomlEditError` if it is invalid."""
    try:
        return toml_text.loads(text)
    except (ValueError, RecursionError) as error:  # also a number with too many digits; nested too deeply
        raise TomlEditError(str(error)) from error


def set_table(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with the table at this path holding exactly these values."""
    wanted = loads(text)
    parent = wanted
    for key in path[:-1]:
        parent = parent.setdefault(key, {})
        if not isinstance(parent, dict):
            raise TomlEditError(f"{key} is not a table")
    parent[path[-1]] = dict(value)
    without = remove_table(text, path)
    if without and not without.endswith("\n"):
        without += "\n"
    if without.strip():
        without = without.rstrip("\n") + "\n\n"
    return _checked(without + _rendered(path, value), wanted)


def remove_table(text: str, path: Sequence[str]) -> str:
    """The text without the table at this path and the tables inside it; unchanged if there is none."""
    wanted = loads(text)
    parent: Any = wanted
    for key in path[:-1]:
        parent = parent.get(key) if isinstance(parent, dict) else None
    if not isinstance(parent, dict) or path[-1] not in parent:
        return text
    del parent[path[-1]]
    after = _without(_statements(text), tuple(path))
    left = loads(after)
    if left != wanted and not _same_but_empty(left, wanted, path):
        raise TomlEditError(f"{'.'.join(path)} is not written as a table of its own")
    return after


def _without(statements: Iterator[_Statement], path: tuple[str, ...]) -> str:
    """The statements that set nothing at this path. The comments behind those that do are kept: they belong to what
    follows."""
    kept: list[str] = []
    behind: list[str] = []
    inside = False
    for statement in statements:
        if statement.path:
            inside = statement.path[: len(path)] == path
            if not inside:
                kept += _set_apart(kept, behind)
            behind = []
        if not inside:
            kept.append(statement.text)
        elif not statement.path:
            behind.append(statement.text)
    kept += _set_apart(kept, behind)
    while inside and kept and not kept[-1].strip():
        del kept[-1]
    return "".join(kept)


def _set_apart(before: Sequence[str], lines: Sequence[str]) -> Sequence[str]:
    """The lines without blank ones at their beginning, if what they follow ends with one."""
    first = 0
    if not before or not before[-1].strip():
        while first < len(lines) and not lines[first].strip():
            first += 1
    return lines[first:]


def _statements(text: str) -> Iterator[_Statement]:
    """The statements of a file that is valid."""
    table: tuple[str, ...] = ()
    for piece in statements(text):
        keys = _keys(loads(piece))
        if _HEADER.match(piece):
            table = keys
            yield _Statement(piece, keys)
        else:
            yield _Statement(piece, (*table, *keys) if keys else ())


def _keys(data: Any) -> tuple[str, ...]:
    """The keys from the root to the first value that is no table of one key."""
    keys = []
    while isinstance(data, dict) and len(data) == 1:
        key, data = next(iter(data.items()))
        keys.append(key)
    return tuple(keys)


def _same_but_empty(left: dict[str, Any], wanted: dict[str, Any], path: Sequence[str]) -> bool:
    """Whether nothing else is gone but parent tables that became empty."""
    for depth in range(len(path) - 1, 0, -1):
        parent: Any = wanted
        for key in path[: depth - 1]:
            parent = parent[key]
        if parent[path[depth - 1]] != {}:
            break
        del parent[path[depth - 1]]
        if left == wanted:
            return True
    return False


def _checked(text: str, wanted: Mapping[str, Any]) -> str:
    reason = "the table is already written in a way that cannot be edited line by line"
    try:
        right = loads(text) == wanted
    except TomlEditError as error:
        raise TomlEditError(reason) from error
    if not right:
        raise TomlEditError(reason)
    return text


def _rendered(path: Sequence[str], value: Mapping[str, Any]) -> str:
    lines = [f"[{'.'.join(map(_key, path))}]"]
    tables = []
    for key, item in value.items():
        if isinstance(item, Mapping):
            tables.append(_rendered([*path, key], item))
        else:
            lines.append(f"{_key(key)} = {_value(item)}")
    return "\n".join(lines) + "\n" + "".join("\n" + table for table in tables)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """Strings, booleans and integers are written in TOML as in JSON."""
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(key)} = {_value(item)}' for key, item in value.items())}}}"
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
