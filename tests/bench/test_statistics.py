from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.soak import evenness, slope
from bench.timing import percentile

numbers = st.lists(st.floats(0, 1e6), min_size=1, max_size=50)


@given(numbers, st.integers(1, 100))
def test_so_many_percent_do_not_exceed_a_percentile_and_fewer_are_below(values: list[float], percent: int) -> None:
    found = percentile(values, percent)
    assert found in values
    assert sum(value <= found for value in values) >= len(values) * percent / 100
    assert sum(value < found for value in values) < len(values) * percent / 100


@given(st.floats(-1_000, 1_000), st.floats(-1_000, 1_000), st.integers(2, 30))
def test_the_slope_of_a_line_is_its_own(rise: float, base: float, count: int) -> None:
    assert slope([(x, base + rise * x) for x in range(count)]) == pytest.approx(rise, abs=1e-6)


def test_evenness_is_1_when_all_are_alike_and_1_in_n_when_one_has_everything() -> None:
    assert evenness([5, 5, 5]) == 1
    assert evenness([9, 0, 0]) == pytest.approx(1 / 3)
    assert math.isnan(evenness([]))


def test_empty_data_has_no_percentile_and_no_slope() -> None:
    assert math.isnan(percentile([], 50))
    assert slope([(1, 1)]) == 0
