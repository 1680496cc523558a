"""The facts of an answer, as its schema describes them."""

from __future__ import annotations

import typing

import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.registry import Command, all_commands
from kapture.commands.core.run import _optional_inside, as_json
from kapture.commands.formatters.batch import BatchResult, StepResult
from kapture.commands.formatters.forms import FieldResult, FormFilled


@pytest.mark.parametrize(
    "answer",
    [
        BatchResult(steps=[StepResult(command="click", status="done")], done=1, failed=0),
        FormFilled(results=[FieldResult(field="Name", filled=True)], submitted=""),
    ],
)
def test_what_is_not_known_of_a_part_is_left_out_as_the_schema_has_it(answer: BatchResult | FormFilled) -> None:
    assert "None" not in str(as_json(answer))


@pytest.mark.parametrize("command", list(all_commands()), ids=lambda command: command.name)
def test_the_parts_of_every_answer_are_known(command: Command) -> None:
    _optional_inside(typing.get_type_hints(command.handler)["return"])
