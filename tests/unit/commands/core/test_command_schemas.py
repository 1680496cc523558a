"""The JSON Schemas of commands, as clients in other languages read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.registry import Command, all_commands, get_command
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


EITHER = [
    ("click", {}),
    ("hover", {}),
    ("fill", {"value": "a"}),
    ("select", {"value": "a"}),
    ("elements", {}),
    ("upload", {"paths": ["/tmp/a"]}),
]


@pytest.mark.parametrize(("name", "others"), EITHER, ids=[name for name, _ in EITHER])
def test_an_element_that_a_command_cannot_do_without_is_required_by_its_schema(
    name: str, others: dict[str, Any]
) -> None:
    valid = jsonschema.Draft202012Validator(input_schema(get_command(name))).is_valid
    assert not valid({"tabId": "a", **others})
    assert valid({"tabId": "a", "target": {"ref": "e3"}, **others})
    assert valid({"tabId": "a", "selector": "#save", **others})


def test_each_field_of_a_form_requires_its_element() -> None:
    valid = jsonschema.Draft202012Validator(input_schema(get_command("fill_form"))).is_valid
    assert not valid({"fields": [{"target": "#a", "value": "1"}, {"value": "2"}]})
    assert valid({"fields": [{"target": "#a", "value": "1"}, {"selector": "#b", "value": "2"}]})
