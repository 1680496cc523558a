"""Foreign text costs linear time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.growing import READERS, slow
from tests.fuzz.growing_calls import slow_answers, slow_parameters


@pytest.mark.parametrize("name", READERS)
def test_ten_times_the_text_takes_at_most_fifteen_times_as_long(name: str) -> None:
    assert not list(slow(READERS[name]))


def test_quadratic_reader_is_found() -> None:
    assert list(slow(lambda text: [text[::-1] for _ in text[::10]], [" "]))


async def test_no_parameter_of_a_command_holds_the_loop(tmp_path: Path) -> None:
    assert not await slow_parameters(tmp_path, 60_000)


async def test_no_answer_of_a_tab_holds_the_loop(tmp_path: Path) -> None:
    assert not await slow_answers(tmp_path, 60_000)
