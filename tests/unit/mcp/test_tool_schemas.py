"""JSON Schemas of commands and of their answers."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterator
from typing import Any

import attrs
import jsonschema  # type: ignore[import-untyped]
import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.answer import Answer
from kapture.commands.core.registry import Command, all_commands
from kapture.commands.core.run import as_json
from kapture.mcp.options import TOOLSETS, Options
from kapture.mcp.profiles import profile_of
from kapture.mcp.schema import output_schema
from tests.unit.commands.answer_examples import EXAMPLES

_REFUSED = {
    *("$ref", "$defs", "definitions", "anyOf", "oneOf", "allOf", "not", "if", "const", "prefixItems", "propertyNames"),
    *("patternProperties", "unevaluatedProperties", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "title"),
}
"""Keywords that Gemini, OpenAI's functions or Copilot refuse in the parameters of a tool."""


def refused(schema: dict[str, Any], path: str) -> Iterator[str]:
    """What one of them refuses in a schema of a tool's parameters."""
    if not isinstance(kind := schema.get("type"), str):
        yield f"{path}: not one type: {kind}"
    yield from (f"{path}: {key}" for key in _REFUSED & set(schema))
    if "enum" in schema and (kind != "string" or not all(isinstance(one, str) for one in schema["enum"])):
        yield f"{path}: enum of other than text"
    if schema.get("format", "date-time") != "date-time":
        yield f"{path}: format"
    if kind == "array" and schema.get("items", {}).get("type", "array") == "array":
        yield f"{path}: array without items, or of arrays"
    for name, part in schema.get("properties", {}).items():
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            yield f"{path}.{name}: name"
        yield from refused(part, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(part := schema.get(key), dict):
            yield from refused(part, f"{path}.{key}")


@pytest.mark.parametrize(
    "options",
    [Options(toolsets=TOOLSETS), *(Options(profile=name) for name in ("minimal", "chrome", "browser"))],
    ids=lambda options: options.profile,
)
def test_no_schema_is_refused_by_a_strict_model_or_client(options: Options) -> None:
    for tool in profile_of(options).tools:
        assert tool.schema["type"] == "object"
        assert "properties" in tool.schema
        assert list(refused(tool.schema, tool.name)) == []
        assert len(f"mcp__kapture__{tool.name}") <= 64
        assert 0 < len(tool.description) <= 1_024


ANSWERS = [
    pytest.param(answer, id=f"{family}: {title}")
    for family, examples in EXAMPLES.items()
    for title, answer in examples.items()
]


@pytest.mark.parametrize("command", list(all_commands()), ids=lambda command: command.name)
def test_what_is_added_to_an_answer_has_a_name_that_no_answer_uses(command: Command) -> None:
    answer = typing.get_type_hints(command.handler)["return"]
    added = ({"effects"} if command.acts else set()) | ({"snapshot"} if command.shows_page else set())
    assert added <= set(output_schema(command)["properties"])
    assert not added & {field.name for field in attrs.fields(answer)}


@pytest.mark.parametrize("answer", ANSWERS)
def test_every_example_of_an_answer_is_as_its_output_schema_says(answer: Answer) -> None:
    commands = [one for one in all_commands() if typing.get_type_hints(one.handler)["return"] is type(answer)]
    assert commands
    for command in commands:
        jsonschema.validate(json.loads(json.dumps(as_json(answer))), output_schema(command))
