"""Converts answers of tabs that execute commands themselves to the fields of the command's own answer.

The first specification leaves the shape of most answers open. Profiles show fields: so an answer whose meaning is
known is converted to them.
"""

from __future__ import annotations

import datetime
from typing import Any

RETURN_VALUES = frozenset({"evaluate"})
"""The commands that answer with a value of the page, for which null is one too. For the others it means: done."""

_TYPES = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "undefined"}


def as_fields(command: str, value: Any) -> dict[str, Any] | None:
    """The answer's fields; None if it has none."""
    if command in RETURN_VALUES:
        if isinstance(value, dict) and "value" in value:
            return value
        return {"value": value, "type": _TYPES.get(type(value), "object")}
    if command == "logs":
        entries = value
        if isinstance(value, dict):
            entries = next((value[key] for key in ("entries", "logs") if isinstance(value.get(key), list)), None)
        if isinstance(entries, list):
            return {"entries": [_log_entry(entry) for entry in entries]}
    return value if isinstance(value, dict) else {} if value is None else None


def _log_entry(entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict):
        entry = {"text": entry}
    text = str(entry.get("text", entry.get("message", "")))
    level = str(entry.get("level", "log"))
    return {
        "source": "console",
        "location": "",
        "stack": "",
        **entry,
        "level": "warn" if level == "warning" else level,
        "timestamp": _iso(entry.get("timestamp", 0)),
        "text": text,
        "message": text,
    }


def _iso(time: Any) -> str:
    """A time in ISO 8601. Numbers are milliseconds since 1970, as in JavaScript."""
    if isinstance(time, str):
        try:
            return datetime.datetime.fromisoformat(time).isoformat()
        except ValueError:
            return _iso(0)
    try:
        seconds = float(time) / 1_000 if isinstance(time, int | float) else 0.0
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return _iso(0)
