from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Parameter, Scenario, Step
from kapture.scenarios.parameters.parameter_values import bind, misfit


def scenario(**parameters: Parameter) -> Scenario:
    return Scenario(version=1, name="buy", parameters=parameters, chain=[Step(command="go_back")])


def test_defaults_are_filled_in_and_given_values_kept_as_they_are() -> None:
    wanted = scenario(
        article=Parameter(),
        count=Parameter(type="integer", default=1),
        note=Parameter(required=False),
    )
    assert bind(wanted, {"article": "lamp"}) == {"article": "lamp", "count": 1, "note": None}
    assert bind(wanted, {"article": "lamp", "count": 3})["count"] == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "'article' of scenario buy: it is required (string)"),
        ({"article": 1}, "must be a string, not integer"),
        ({"article": "a", "price": 1}, "'price' of scenario buy: there is no such parameter"),
        ({"article": "a", "count": True}, "must be an integer, not boolean"),
        ({"article": "a", "count": 0}, "must be at least 1"),
        ({"article": "a", "size": "XL"}, 'must be one of "S", "M"'),
        ({"article": "a", "address": {"zip": "1"}}, ".zip must match [0-9]{5}"),
        ({"article": "a", "address": {}}, ".zip is missing"),
        ({"article": "a", "notes": ["x", 2]}, "[1] must be a string, not integer"),
        ({"article": "a", "notes": []}, "must have at least 1 items"),
    ],
)
def test_a_value_that_does_not_fit_is_named(given: dict[str, Any], words: str) -> None:
    wanted = scenario(
        article=Parameter(),
        count=Parameter(type="integer", default=1, minimum=1),
        size=Parameter(default="S", enum=["S", "M"]),
        address=Parameter(type="object", required=False, properties={"zip": Parameter(pattern="[0-9]{5}")}),
        notes=Parameter(type="array", required=False, min_length=1, items=Parameter()),
    )
    with pytest.raises(KaptureError) as caught:
        bind(wanted, given)
    assert caught.value.code is ErrorCode.INVALID_PARAMS
    assert words in caught.value.message


@given(value=st.integers() | st.floats(allow_nan=False) | st.booleans() | st.lists(st.integers()) | st.none())
def test_a_value_fits_exactly_the_types_it_has(value: Any) -> None:
    fits = {kind for kind in ("string", "number", "integer", "boolean", "object", "array") if not _misfit(kind, value)}
    expected = {bool: {"boolean"}, int: {"integer", "number"}, float: {"number"}, list: {"array"}, type(None): set()}
    assert fits == expected[type(value)]


def _misfit(kind: Any, value: Any) -> str:
    return misfit(Parameter(type=kind), value, "", lambda pattern, text: True)
