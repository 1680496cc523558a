"""JSON Schemas of commands' arguments.

References are inlined, titles dropped, `X | None = None` becomes just an optional `X`, and the many ways to
name an element are described in one sentence instead of a nested object (docs/TOOLS.md has the whole schema).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from kapture.commands.core.answer import MOST_CHARS
from kapture.commands.core.params import ELEMENT_REQUIRED, MAX_TIMEOUT_MS, ElementRequired
from kapture.commands.core.registry import Command, Scope

Schema = dict[str, Any]

REF_TEMPLATE = "#/$defs/{name}"
_TARGET = "TargetSpec"
TARGET_SCHEMA: Schema = {
    "type": ["string", "object"],
    "description": 'Ref (e12), CSS selector, or an object: {"role": "button", "name": "Save"}, {"text": "Save"}',
}
TAB_ID_SCHEMA: Schema = {"type": "string", "description": "Id of the tab; optional while only one is connected"}
TIMEOUT_SCHEMA: Schema = {
    "type": "number",
    "description": "Give up after so many milliseconds",
    "exclusiveMinimum": 0,
    "maximum": MAX_TIMEOUT_MS,
}
SNAPSHOT_SCHEMA: Schema = {"enum": ["none", "diff", "full"], "description": "What to show of the page afterwards"}
MAX_CHARS_SCHEMA: Schema = {
    "type": "integer",
    "description": "Most characters of the answer",
    "minimum": 1,
    "maximum": MOST_CHARS,
}
SAVE_TO_SCHEMA: Schema = {"type": "string", "description": "File name to save the whole answer as"}


@cache
def input_schema(command: Command) -> Schema:
    """The arguments of a call of this command, including the common ones."""
    own = parameters_schema(command)
    properties: Schema = {}
    required = list(own.get("required", ()))
    if command.scope is Scope.TAB and "tabId" not in own["properties"]:
        properties["tabId"] = TAB_ID_SCHEMA
    properties |= own["properties"]
    if command.shows_page:
        properties.setdefault("snapshot", SNAPSHOT_SCHEMA)
    properties.setdefault("max_chars", MAX_CHARS_SCHEMA)
    properties.setdefault("save_to", SAVE_TO_SCHEMA)
    properties.setdefault("timeout", TIMEOUT_SCHEMA)
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if "anyOf" in own:
        schema["anyOf"] = own["anyOf"]
    schema["additionalProperties"] = False
    return schema


@cache
def parameters_schema(command: Command) -> Schema:
    """The command's own parameters: `{"properties": …, "required": …}`, with `anyOf` where one of two is required."""
    (root,), components = msgspec.json.schema_components([command.params], ref_template=REF_TEMPLATE)
    schema = inline(root, components, ())
    schema.setdefault("properties", {})
    if issubclass(command.params, ElementRequired):
        schema |= ELEMENT_REQUIRED
    return schema


def inline(schema: Mapping[str, Any], components: Mapping[str, Any], within: tuple[str, ...]) -> Schema:
    """The schema without `$ref`, titles and the null that only means "not given"."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        extra = {key: value for key, value in schema.items() if key != "$ref"}
        if name in within:  # a recursive structure: one level is shown, then any object
            return {"type": "object", **extra}
        return {**inline(components[name], components, (*within, name)), **extra}
    result: Schema = {}
    for key, value in schema.items():
        if key == "title":
            continue
        if key == "properties":
            result[key] = {name: _property(part, components, within) for name, part in value.items()}
        elif key in ("anyOf", "oneOf", "prefixItems"):
            result[key] = [inline(part, components, within) for part in value]
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            result[key] = inline(value, components, within)
        elif key == "pattern" and isinstance(value, str):
            result[key] = value.replace(r"\Z", "$")  # JSON Schema has JavaScript's regular expressions, without \Z
        else:
            result[key] = value
    if within and "properties" in result and "description" in schema:
        result.pop("description", None)  # the class's docstring; the attribute has a description of its own
    if result.get("required") == []:
        del result["required"]
    return result


def _property(schema: Mapping[str, Any], components: Mapping[str, Any], within: tuple[str, ...]) -> Schema:
    if _names_element(schema):
        described = schema.get("description")
        words = f"{described.rstrip('.')}: ref, CSS selector or object" if described else TARGET_SCHEMA["description"]
        return {**TARGET_SCHEMA, "description": words}
    result = inline(schema, components, within)
    options = [part for part in result.get("anyOf", ()) if part != {"type": "null"}]
    if "anyOf" in result:
        rest = {key: value for key, value in result.items() if key != "anyOf"}
        if len(options) == 1:
            result = {**options[0], **rest}
        elif all(set(part) == {"type"} for part in options):
            result = {"type": [part["type"] for part in options], **rest}
        else:
            result = {"anyOf": options, **rest}
    if result.get("default", 0) is None:
        del result["default"]
    if "enum" in result:
        result.pop("type", None)
        result["enum"] = [value for value in result["enum"] if value is not None]
    return result


def _names_element(schema: Mapping[str, Any]) -> bool:
    parts = [schema, *schema.get("anyOf", ())]
    return any(str(part.get("$ref", "")).endswith(f"/{_TARGET}") for part in parts)
