"""JSON Schemas of commands and of their answers."""

from __future__ import annotations

import json
import typing

import attrs
import jsonschema  # type: ignore[import-untyped]
import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.answer import Answer
from kapture.commands.core.registry import Command, all_commands
from kapture.commands.core.run import as_json
from kapture.mcp.schema import output_schema
from tests.unit.commands.answer_examples import EXAMPLES

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
