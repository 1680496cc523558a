"""JSON Schemas of commands and of their answers."""

from __future__ import annotations

import typing

import attrs
import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.registry import Command, all_commands
from kapture.mcp.schema import output_schema


@pytest.mark.parametrize("command", list(all_commands()), ids=lambda command: command.name)
def test_what_is_added_to_an_answer_has_a_name_that_no_answer_uses(command: Command) -> None:
    answer = typing.get_type_hints(command.handler)["return"]
    added = ({"effects"} if command.acts else set()) | ({"snapshot"} if command.shows_page else set())
    assert added <= set(output_schema(command)["properties"])
    assert not added & {field.name for field in attrs.fields(answer)}
