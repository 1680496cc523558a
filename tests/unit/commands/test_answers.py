"""The text of answers for models, compared whole with the stored examples.

After a change that is meant: `pytest tests/unit/commands/test_answers.py --update`, and read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import kapture.commands  # noqa: F401  imports every answer
from kapture.commands.core.answer import Answer
from tests.unit.commands.answer_examples import EXAMPLES

HERE = Path(__file__).with_name("answers")


@pytest.mark.parametrize("family", sorted(EXAMPLES))
def test_answers_read_as_the_stored_examples(family: str, request: pytest.FixtureRequest) -> None:
    written = ""
    for title, answer in EXAMPLES[family].items():
        written += "\n".join([f"## {title}", *(one.text() for one in answer.said()), f"{answer.text()}\n\n"])
    stored = HERE / f"{family}.txt"
    if request.config.getoption("--update", default=False):
        stored.write_text(written, "utf-8")
    assert stored.read_text("utf-8") == written


def test_every_answer_has_an_example() -> None:
    shown = {type(answer).__name__ for examples in EXAMPLES.values() for answer in examples.values()}
    answers = {one.__name__ for one in Answer.__subclasses__() if one.__module__.startswith("kapture.commands.")}
    assert not answers - shown


def test_no_stored_example_is_left_over() -> None:
    assert {file.stem for file in HERE.glob("*.txt")} == set(EXAMPLES)
