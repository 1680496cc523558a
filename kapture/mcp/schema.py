"""JSON Schemas of commands, small: every tool's schema costs every model tokens in every conversation.

References are inlined, titles dropped, `X | None = None` becomes just an optional `X`, and the many ways to
name an element are said in one sentence instead of a nested object (docs/TOOLS.md has the whole schema).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, get_type_hints

import attrs
import msgspec

from kapture.commands.answer import Answer, Blob
from kapture.commands.params import MAX_TIMEOUT_MS
from kapture.commands.registry import Command, Scope

Schema = dict[str, Any]

_REF = "#/$defs/{name}"
_TARGET = "TargetSpec"
TARGET_SCHEMA: Schema = {
    "type": ["string", "object"],
    "description": "CSS, or {ref}, {role,name}, {text}, {label}, {testId}, {xpath}, {x,y}; + nth, frame",
}
TAB_ID_SCHEMA: Schema = {"type": "string", "description": "From list_tabs"}
TIMEOUT_SCHEMA: Schema = {"type": "number", "description": "ms"}
SNAPSHOT_SCHEMA: Schema = {"enum": ["none", "diff", "full"], "description": "Page view to add"}


@cache
def input_schema(command: Command) -> Schema:
    """What a call of this command takes, the common arguments included."""
    own = parameters_schema(command)
    properties: Schema = {}
    required = list(own.get("required", ()))
    if command.scope is Scope.TAB and "tabId" not in own["properties"]:
        properties["tabId"] = TAB_ID_SCHEMA
        required.insert(0, "tabId")
    properties |= own["properties"]
    if command.acts:
        properties.setdefault("snapshot", SNAPSHOT_SCHEMA)
    properties.setdefault("timeout", TIMEOUT_SCHEMA)
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


@cache
def parameters_schema(command: Command) -> Schema:
    """The command's own parameters: `{"properties": …, "required": …}`."""
    (root,), components = msgspec.json.schema_components([command.params], ref_template=_REF)
    schema = _inline(root, components, ())
    schema.setdefault("properties", {})
    return schema


@cache
def output_schema(command: Command) -> Schema:
    """The shape of `CallResult.data`: the answer's facts, and for an acting command what happened."""
    answer = get_type_hints(command.handler).get("return")
    properties: Schema = {}
    if isinstance(answer, type) and attrs.has(answer) and issubclass(answer, Answer):
        shown = [field.name for field in attrs.fields(answer) if field.type is not Blob]
        hidden = {"parts", "blobs"}
        try:
            (root,), components = msgspec.json.schema_components([answer], ref_template=_REF)
        except TypeError:
            root, components = {}, {}
        whole = _inline(root, components, ()).get("properties", {})
        properties = {name: whole[name] for name in shown if name in whole and name not in hidden}
        for schema in properties.values():
            schema.pop("default", None)
    if command.acts:
        properties["outcome"] = {"type": "array", "items": {"type": "string"}}
        properties["snapshot"] = {"type": "string"}
    return {"type": "object", "properties": properties}


def _inline(schema: Mapping[str, Any], components: Mapping[str, Any], within: tuple[str, ...]) -> Schema:
    """The schema without `$ref`, titles and the null that only means "not given"."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        extra = {key: value for key, value in schema.items() if key != "$ref"}
        if name in within:  # a structure that holds itself: one turn is shown, then any object
            return {"type": "object", **extra}
        return {**_inline(components[name], components, (*within, name)), **extra}
    result: Schema = {}
    for key, value in schema.items():
        if key == "title":
            continue
        if key == "properties":
            result[key] = {name: _property(part, components, within) for name, part in value.items()}
        elif key in ("anyOf", "oneOf", "prefixItems"):
            result[key] = [_inline(part, components, within) for part in value]
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            result[key] = _inline(value, components, within)
        else:
            result[key] = value
    if within and result.get("type") == "object" and "description" in schema:
        result.pop("description", None)  # the class's docstring; the attribute's own description stands outside
    if result.get("required") == []:
        del result["required"]
    return result


def _property(schema: Mapping[str, Any], components: Mapping[str, Any], within: tuple[str, ...]) -> Schema:
    if _names_element(schema):
        described = schema.get("description")
        return {**TARGET_SCHEMA, "description": described} if described else dict(TARGET_SCHEMA)
    result = _inline(schema, components, within)
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


def timeout_bounds() -> tuple[int, int]:
    """The least and the greatest `timeout` that a call may set, in milliseconds."""
    return 1, MAX_TIMEOUT_MS
