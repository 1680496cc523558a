"""The registry: every family is in it, whole and in one order, whoever imports what."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import jsonschema  # type: ignore[import-untyped]
import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.reference import reference
from kapture.commands.core.registry import Command, all_commands, get_command
from kapture.commands.core.run import as_json
from kapture.commands.core.schema import input_schema
from kapture.errors import UnknownCommand

PRINT = "from kapture.commands.core.registry import all_commands; print(*(command.name for command in all_commands()))"


@pytest.mark.parametrize("first", ["kapture.commands.status", "kapture.policy"])
def test_the_registry_is_complete_and_in_order_whatever_is_imported_first(first: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {first}\n{PRINT}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [command.name for command in all_commands()]


def test_a_misspelt_command_is_answered_with_what_was_meant() -> None:
    with pytest.raises(UnknownCommand) as unknown:
        get_command("kapturemcp_navigat")
    assert unknown.value.data["suggestions"][0] == "navigate"


# docs/TOOLS.md is the registry, written down.


TOOLS = Path(__file__).parents[4] / "docs" / "TOOLS.md"


def test_the_page_of_tools_is_not_stale() -> None:
    assert TOOLS.read_text("utf-8") == reference(), "run: python -m kapture.commands.core.reference"


def test_every_command_has_its_place_and_a_description() -> None:
    text = reference()
    for command in all_commands():
        assert f"\n### {command.name}\n" in text
        assert command.description, f"{command.name} has no description"
        assert len(command.description.splitlines()[0]) <= 120


# The facts of an answer as JSON.


@attrs.frozen(kw_only=True)
class Leaf:
    name: str
    note: str | None = None


@attrs.frozen(kw_only=True)
class Branch:
    leaves: list[Leaf]
    best: Leaf | None = None


@attrs.frozen(kw_only=True)
class Tree(Answer):
    branches: list[Branch] = attrs.field(factory=list)
    by_name: Mapping[str, Leaf] = attrs.field(factory=dict)
    value: Any = None
    image: Blob | None = None


def test_nulls_of_a_value_of_the_page_stay() -> None:
    value = {"found": None, "all": [None, {"x": None}]}
    assert as_json(Tree(value=value))["value"] == value


# The JSON Schemas of commands, as clients in other languages read them.


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
