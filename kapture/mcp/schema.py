"""JSON Schemas of commands, and the shorter ones that `tools/list` shows.

References are inlined, titles dropped, `X | None = None` becomes just an optional `X`, and the many ways to
name an element are described in one sentence instead of a nested object (docs/TOOLS.md has the whole schema).

What a model reads in every conversation is shorter still: bounds that nobody would cross, defaults that do what one
would expect, and the two parameters that many tools share are left to the hub, which knows them all the same, and
to the server's instructions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, get_type_hints

import attrs
import msgspec

from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.registry import DEFAULT_TIMEOUT_MS, Command, Scope

Schema = dict[str, Any]

_REF = "#/$defs/{name}"
_TARGET = "TargetSpec"
TARGET_SCHEMA: Schema = {
    "type": ["string", "object"],
    "description": "CSS, {ref}, {role,name}, ...",
}
TAB_ID_SCHEMA: Schema = {"type": "string", "description": "Tab id"}
TIMEOUT_SCHEMA: Schema = {"type": "number", "description": "ms"}
SNAPSHOT_SCHEMA: Schema = {"enum": ["none", "diff", "full"], "description": "Page to show"}


@cache
def input_schema(command: Command) -> Schema:
    """What a call of this command takes, the common arguments included."""
    own = parameters_schema(command)
    properties: Schema = {}
    required = list(own.get("required", ()))
    if command.scope is Scope.TAB and "tabId" not in own["properties"]:
        properties["tabId"] = TAB_ID_SCHEMA
    properties |= own["properties"]
    if command.shows_page:
        properties.setdefault("snapshot", SNAPSHOT_SCHEMA)
    properties.setdefault("timeout", TIMEOUT_SCHEMA)
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


# Clients of the first specification look for this parameter by its name; others find it under `target`.
_NAMED_BY_SELECTOR = {"click", "hover", "fill", "select", "screenshot"}


@cache
def listed_schema(command: Command) -> Schema:
    """As `input_schema`, for models. What this leaves out may be given all the same."""
    whole = input_schema(command)
    properties = {}
    for name, part in whole["properties"].items():
        unlisted = (name == "selector" and "target" in whole["properties"]) or (
            name == "timeout" and command.timeout_ms == DEFAULT_TIMEOUT_MS
        )
        if name == "selector" and command.name in _NAMED_BY_SELECTOR:
            properties[name] = {"type": "string", "description": "CSS"}
        elif not unlisted or name in whole.get("required", ()):
            properties[name] = _short(part)
    schema: Schema = {"type": "object", "properties": properties}
    if "required" in whole:
        schema["required"] = whole["required"]
    return schema


_UNSAID = frozenset({"minLength", "maxLength", "minItems", "maxItems", "exclusiveMinimum", "additionalProperties"})


def _short(schema: Schema) -> Schema:
    """The schema without what a model does not need."""
    short: Schema = {}
    for key, value in schema.items():
        if (key in _UNSAID and not isinstance(value, dict)) or (key == "default" and value is not True):
            continue
        if (key == "minimum" and value in (0, 1)) or (key == "maximum" and value >= 500):
            continue
        if key == "properties":
            keep = {name for name in value if name != "selector" or "target" not in value}
            short[key] = {name: _short(part) for name, part in value.items() if name in keep}
        elif key in ("items", "additionalProperties"):
            short[key] = _short(value)
        elif key == "anyOf" and len(value) == 2 and value[1].get("items") == value[0]:
            short |= _short(value[1])  # one, or a list: a list of one does as well
        elif key == "anyOf" and all(set(part) <= {"type", "items"} for part in value):
            short["type"] = [part["type"] for part in value]
        else:
            short[key] = value.removesuffix(".") if key == "description" else value
    return short


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
        properties["effects"] = {"type": "array", "items": {"type": "string"}}
    if command.shows_page:
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
