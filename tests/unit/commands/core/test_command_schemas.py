"""The JSON Schemas of commands, as clients in other languages read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.registry import Command, all_commands
from kapture.commands.core.schema import input_schema


def _patterns(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        for part in schema.values():
            yield from _patterns(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _patterns(part)


@pytest.mark.parametrize("command", list(all_commands()), ids=lambda command: command.name)
def test_patterns_are_expressions_that_javascript_knows_too(command: Command) -> None:
    assert [pattern for pattern in _patterns(input_schema(command)) if r"\Z" in pattern or r"\A" in pattern] == []
