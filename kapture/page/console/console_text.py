"""The text of a console call, as DevTools shows it: placeholders replaced, objects shown by their previews."""

from __future__ import annotations

import json
import re
from typing import Any

_PLACEHOLDER = re.compile(r"%[sdifoOc%]")


def format_arguments(arguments: list[dict[str, Any]]) -> str:
    """The text of a console call, with `%s`-style placeholders replaced (Console Standard, formatter)."""
    rest = list(arguments)
    if not rest:
        return ""
    first = rest[0]
    if first.get("type") != "string" or len(rest) == 1:
        return " ".join(describe(argument) for argument in rest)
    rest.pop(0)

    def fill(match: re.Match[str]) -> str:
        kind = match.group()
        if kind == "%%":
            return "%"
        if not rest:
            return kind
        value = rest.pop(0)
        if kind == "%c":
            return ""  # styling
        if kind in {"%d", "%i", "%f"}:
            return _number(value, whole=kind != "%f")
        if kind in {"%o", "%O"} and value.get("type") == "string":
            return json.dumps(value.get("value", ""), ensure_ascii=False)
        return describe(value)

    text = _PLACEHOLDER.sub(fill, str(first.get("value", "")))
    return " ".join([text, *(describe(argument) for argument in rest)])


def _number(value: dict[str, Any], *, whole: bool) -> str:
    """A number as `%d` and `%f` show it; NaN for anything else, as in DevTools."""
    if value.get("type") == "bigint":
        return describe(value)
    number = value.get("value")
    if value.get("type") != "number" or number is None:
        return str(value.get("unserializableValue", "NaN")) if value.get("type") == "number" else "NaN"
    return str(int(number) if whole else number)


def describe(value: dict[str, Any]) -> str:
    """A `Runtime.RemoteObject` in one line, from its preview if it has one."""
    kind = value.get("type")
    if kind == "string":
        return str(value.get("value", ""))
    if kind == "undefined":
        return "undefined"
    if value.get("subtype") == "null":
        return "null"
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if kind in {"number", "boolean"}:
        shown = value.get("value")
        return str(shown).lower() if isinstance(shown, bool) else f"{shown}"
    preview = value.get("preview")
    if preview and value.get("subtype") not in {"error", "node", "regexp", "date"}:
        return _preview(preview)
    return str(value.get("description") or value.get("className") or kind)


def _preview(preview: dict[str, Any]) -> str:
    if "entries" in preview:  # Map and Set
        items = [
            f"{_preview(entry['key'])} => {_preview(entry['value'])}" if "key" in entry else _preview(entry["value"])
            for entry in preview["entries"]
        ]
        return f"{preview.get('description', '')} {{{_joined(items, preview)}}}"
    properties = preview.get("properties")
    if not properties:
        if preview.get("type") == "object" and preview.get("description") == "Object":
            return "{}"
        return str(preview.get("description", ""))
    if preview.get("subtype") == "array":
        return f"[{_joined([_property(item) for item in properties], preview)}]"
    name = preview.get("description", "Object")
    items = [f"{item['name']}: {_property(item)}" for item in properties]
    return f"{'' if name == 'Object' else name + ' '}{{{_joined(items, preview)}}}"


def _property(item: dict[str, Any]) -> str:
    if "valuePreview" in item:
        return _preview(item["valuePreview"])
    value = item.get("value", "")
    return f'"{value}"' if item.get("type") == "string" else str(value)


def _joined(items: list[str], preview: dict[str, Any]) -> str:
    return ", ".join([*items, "…"] if preview.get("overflow") else items)
