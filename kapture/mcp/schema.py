"""The shortened schemas in `tools/list`, and the schemas of answers.

What a model reads in every conversation is short: bounds that nobody would cross, defaults that do the expected, two
parameters that many tools share, and what only replays of scenarios need are left out. The hub accepts them all the
same, and the server's instructions describe the two parameters.

They are written in what the strictest models and clients take: one `type` a schema, `enum` of texts only, items for
every array, no `$ref`, no alternatives. A parameter that takes text or something else is listed as text; the something
else may be sent as it is, and an element's description as JSON text too (`kapture.commands.core.params`).
"""

from __future__ import annotations

from functools import cache
from typing import get_type_hints

import attrs
import msgspec

from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.registry import DEFAULT_TIMEOUT_MS, Command
from kapture.commands.core.schema import REF_TEMPLATE, Schema, inline, input_schema

# Clients of the first specification look for this parameter by its name; others find it under `target`.
_NAMED_BY_SELECTOR = {"click", "hover", "fill", "select", "screenshot"}
_FOR_REPLAYS = frozenset({("handle_dialog", "message")})


@cache
def listed_schema(command: Command) -> Schema:
    """The `input_schema` for models. What it leaves out is accepted all the same."""
    whole = input_schema(command)
    properties = {}
    for name, part in whole["properties"].items():
        unlisted = (name == "selector" and "target" in whole["properties"]) or (
            name == "timeout" and command.timeout_ms == DEFAULT_TIMEOUT_MS
        )
        unlisted = unlisted or (command.name, name) in _FOR_REPLAYS
        unlisted = unlisted or (name in ("max_chars", "save_to") and not command.long)
        if name == "selector" and command.name in _NAMED_BY_SELECTOR:
            properties[name] = {"type": "string", "description": "CSS selector, in place of target"}
        elif not unlisted or name in whole.get("required", ()):
            properties[name] = _short(part)
    schema: Schema = {"type": "object", "properties": properties}
    if "required" in whole:
        schema["required"] = whole["required"]
    return schema


_UNSAID = frozenset({"minLength", "maxLength", "minItems", "maxItems", "exclusiveMinimum", "additionalProperties"})


def _short(schema: Schema) -> Schema:
    """The schema without details that a model does not need."""
    short: Schema = {}
    for key, value in schema.items():
        if (key in _UNSAID and not isinstance(value, dict)) or (key == "default" and value is not True):
            continue
        if (key == "minimum" and value in (0, 1)) or (key == "maximum" and value >= 500):
            continue
        if key == "properties":
            keep = {name for name in value if name != "selector" or "target" not in value}
            short[key] = {name: _short(part) for name, part in value.items() if name in keep}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            if value:
                short[key] = _short(value)
        elif key == "anyOf" and all(set(part) == {"required"} for part in value):
            continue  # a model tries `target` by itself
        elif key == "anyOf" and len(value) == 2 and value[1].get("items") == value[0]:
            short |= _short(value[1])  # one item or a list of them: a list of one is equivalent
        elif key == "anyOf":
            short |= _short(next((part for part in value if part.get("type") == "string"), value[0]))
        elif key == "type" and isinstance(value, list):
            short["type"] = "string" if "string" in value else value[0]
        elif key == "enum":
            short |= {"type": "string", "enum": value}
        else:
            short[key] = value.removesuffix(".") if key == "description" else value
    return short


@cache
def output_schema(command: Command) -> Schema:
    """The schema of `CallResult.data`: the answer's facts, and for an action its outcome."""
    answer = get_type_hints(command.handler).get("return")
    properties: Schema = {}
    if isinstance(answer, type) and attrs.has(answer) and issubclass(answer, Answer):
        shown = [field.name for field in attrs.fields(answer) if field.type is not Blob]
        hidden = {"parts", "blobs"}
        try:
            (root,), components = msgspec.json.schema_components([answer], ref_template=REF_TEMPLATE)
        except TypeError:
            root, components = {}, {}
        whole = inline(root, components, ()).get("properties", {})
        properties = {name: whole[name] for name in shown if name in whole and name not in hidden}
        for schema in properties.values():
            schema.pop("default", None)
    if command.acts:
        properties["effects"] = {"type": "array", "items": {"type": "string"}}
    if command.shows_page:
        properties["snapshot"] = {"type": "string"}
    return {"type": "object", "properties": properties}
