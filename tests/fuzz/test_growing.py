"""Foreign text costs linear time."""

from __future__ import annotations

import pytest

from tests.fuzz.growing import READERS, slow


@pytest.mark.parametrize("name", READERS)
def test_ten_times_the_text_takes_at_most_fifteen_times_as_long(name: str) -> None:
    assert not list(slow(READERS[name]))


def test_quadratic_reader_is_found() -> None:
    assert list(slow(lambda text: [text[::-1] for _ in text[::10]], [" "]))
