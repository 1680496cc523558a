from __future__ import annotations

import pytest

from kapture.errors import KaptureError
from kapture.scenarios.parameters.expression import as_python, holds, item_of, names

CART = {"cart": {"items": 2, "names": ["lamp", "cup"]}, "user": "ada"}


@pytest.mark.parametrize(
    "expression",
    [
        "cart.items > 0",
        "cart.items == 2 and user == 'ada'",
        "'lamp' in cart.names",
        "cart.names[0] == 'lamp'",
        "not missing",
        "missing.deeper == null",
        "1 < cart.items < 3",
        "user in ['ada', 'eve'] or false",
    ],
)
def test_true_expressions_hold(expression: str) -> None:
    assert holds(expression, CART)
    assert not holds(f"not ({expression})", CART)


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os')",
        "cart.items +",
        "(lambda: 1)()",
        "[x for x in cart]",
        "2 ** 99999999",
        "user > 3",
        "1 in 2",
        f"{'not ' * 101}user",
        f"{'-' * 990}1",
        f"user{'.a' * 101}",
    ],
)
def test_what_is_no_condition_is_refused(expression: str) -> None:
    with pytest.raises(KaptureError, match="cannot be evaluated"):
        holds(expression, CART)


@pytest.mark.parametrize(
    "expression", ["__import__('os')", "cart.items +", "[x for x in cart]", "b'x'", "1j", "2 ** 3"]
)
def test_no_other_code_becomes_python(expression: str) -> None:
    with pytest.raises(KaptureError, match="cannot be evaluated"):
        as_python(expression, "values", "item_of")


@pytest.mark.parametrize("expression", [f"{'not ' * 99}user", f"{'-' * 98}1 < 2", f"user{'.a' * 98} == null"])
def test_what_is_nested_as_deep_as_allowed_holds_as_python_too(expression: str) -> None:
    source = as_python(expression, "values", "item_of")
    assert eval(f"((({source})))", {"values": CART, "item_of": item_of}) is holds(expression, CART)


def test_what_is_nested_too_deep_is_refused_where_it_is_written() -> None:
    with pytest.raises(KaptureError, match="nested more than 100 levels deep"):
        names(f"{'not ' * 101}user")
