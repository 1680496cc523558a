"""Sets or removes one table of a TOML file, preserving every other line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any


class TomlEditError(ValueError):
    """The file is not TOML, or writes the table in a way that cannot be edited line by line."""


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"^[ \t]*\[")


def loads(text: str) -> dict[str, Any]:
    """Parse; `TomlEditError` if it is invalid."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
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
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if _HEADER.match(line):
            inside = _path_of(line)[: len(path)] == list(path)
        if not inside:
            kept.append(line)
    after = "".join(kept)
    left = loads(after)
    if left != wanted and not _same_but_empty(left, wanted, path):
        raise TomlEditError(f"{'.'.join(path)} is not written as a table of its own")
    return after


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
    if loads(text) != wanted:
        raise TomlEditError("the table is already written in a way that cannot be edited line by line")
    return text


def _path_of(header: str) -> list[str]:
    """The path in a line like `[a."b c".d]`; empty for any other line."""
    try:
        data: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return []
    path = []
    while isinstance(data, (dict, list)) and data:
        if isinstance(data, list):
            data = data[0]
            continue
        key, data = next(iter(data.items()))
        path.append(key)
    return path


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
    """Strings, booleans, numbers and lists of them: JSON and TOML write these in the same way."""
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
