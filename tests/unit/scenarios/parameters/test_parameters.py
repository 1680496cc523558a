"""Forms are made from the parameters of a scenario."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Parameter, Scenario, Step
from kapture.scenarios.parameters import parameter_patterns
from kapture.scenarios.parameters.expression import as_python, holds, item_of, names
from kapture.scenarios.parameters.parameter_patterns import fits_of, why_no_pattern
from kapture.scenarios.parameters.parameter_values import bind, misfit
from kapture.scenarios.parameters.placeholders import escape, roots, substitute


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


# Forms are made from the parameters of a scenario.


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        (r"\d{4}", "2026", True),
        (r"\d{4}", "20261", False),
        (r"\d{4}-\d{2}-\d{2}", "2026-11-22", True),
        (r"(\d+,)*\d+", "1,2,3", True),
        (r"(\d+,)*\d+", "1,2,", False),
        ("(a|b)+", "abba", True),
        (".*", "x" * 10_000, True),
    ],
)
def test_a_text_fits_a_pattern_that_matches_all_of_it(pattern: str, text: str, fits: bool) -> None:
    wanted = Parameter(type="string", pattern=pattern)
    assert fits_of({"x": wanted}, {"x": text})(pattern, text) is fits


def test_texts_within_lists_and_objects_are_matched_too() -> None:
    words = Parameter(type="array", items=Parameter(type="string", pattern="(a|b)+"))
    wanted = Parameter(type="object", properties={"words": words})
    fits = fits_of({"x": wanted}, {"x": {"words": ["ab", "abc"]}})
    assert (fits("(a|b)+", "ab"), fits("(a|b)+", "abc")) == (True, False)


def test_a_pattern_that_would_never_end_ends_the_call_and_not_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parameter_patterns, "MATCHING_S", 0.2)
    with pytest.raises(KaptureError) as caught:
        fits_of({"x": Parameter(type="string", pattern="(a+)+b")}, {"x": "a" * 60})
    assert caught.value.code is ErrorCode.SCENARIO_INVALID
    assert "(a+)+b" in caught.value.message


def test_a_long_pattern_is_not_even_looked_at_in_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = "a" * 1_000 + "+"
    elsewhere: list[tuple[str, str]] = []

    def matched(pairs: list[tuple[str, str]]) -> list[bool]:
        elsewhere.extend(pairs)
        return [False] * len(pairs)

    monkeypatch.setattr(parameter_patterns, "_matched", matched)
    assert not fits_of({"x": Parameter(type="string", pattern=pattern)}, {"x": "a"})(pattern, "a")
    assert elsewhere == [(pattern, "a")]


@pytest.mark.parametrize(
    "pattern", ["(", "a{99999999999999999999}", "(" * 500 + ")" * 500], ids=["open", "huge", "deep"]
)
def test_invalid_pattern_is_refused_with_reason(pattern: str) -> None:
    assert why_no_pattern(pattern)
    assert why_no_pattern("a+") is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), inner),
    max_leaves=8,
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,9}", fullmatch=True)


@given(name=NAMES, value=VALUES)
def test_a_text_that_is_one_placeholder_becomes_the_value_with_its_type(name: str, value: Any) -> None:
    got = substitute(f"{{{{{name}}}}}", {name: value})
    assert got == value
    assert type(got) is type(value)


@given(before=st.text(), value=VALUES, after=st.text())
def test_inside_a_text_the_value_is_written_out_and_the_rest_stays(before: str, value: Any, after: str) -> None:
    text = escape(before) + " {{v}} " + escape(after)
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # A brace at the seam could belong to either side; the blanks keep them apart.
    assert substitute(text, {"v": value}) == f"{before} {written} {after}"


@given(text=st.text(alphabet="{}ab. ") | st.text())
def test_an_escaped_text_names_nothing_and_comes_back_as_it_was(text: str) -> None:
    assert list(roots(escape(text))) == []
    assert substitute(escape(text), {}) == text


@given(outer=NAMES, inner=NAMES, value=VALUES)
def test_a_path_leads_into_objects_and_lists(outer: str, inner: str, value: Any) -> None:
    variables = {outer: {inner: [0, value]}}
    assert substitute([{"x": f"{{{{ {outer}.{inner}.1 }}}}"}], variables) == [{"x": value}]


@given(value=VALUES, times=st.integers(1, 3))
def test_a_value_in_an_address_is_a_text_that_is_percent_encoded(value: Any, times: int) -> None:
    found = substitute("{{ v" + "|url" * times + " }}", {"v": value})
    assert not set(found) & set("/?&=# ")
    for _ in range(times):
        found = unquote(found, errors="surrogateescape")
    assert found == (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


@pytest.mark.parametrize("path", ["a", "v.x", "v.1", "v.0.x"])
def test_a_path_that_leads_nowhere_is_named(path: str) -> None:
    with pytest.raises(KaptureError, match=path.replace(".", r"\.")):
        substitute(f"{{{{{path}}}}}", {"v": ["one"]})


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
def test_invalid_condition_is_refused(expression: str) -> None:
    with pytest.raises(KaptureError, match="cannot be evaluated"):
        holds(expression, CART)


@pytest.mark.parametrize(
    "expression", ["__import__('os')", "cart.items +", "[x for x in cart]", "b'x'", "1j", "2 ** 3"]
)
def test_no_other_code_becomes_python(expression: str) -> None:
    with pytest.raises(KaptureError, match="cannot be evaluated"):
        as_python(expression, "values", "item_of")


@pytest.mark.parametrize("expression", [f"{'not ' * 99}user", f"{'-' * 98}1 < 2", f"user{'.a' * 98} == null"])
def test_deepest_allowed_condition_holds_as_python_too(expression: str) -> None:
    source = as_python(expression, "values", "item_of")
    assert eval(f"((({source})))", {"values": CART, "item_of": item_of}) is holds(expression, CART)


def test_condition_nested_too_deep_is_refused_on_writing() -> None:
    with pytest.raises(KaptureError, match="nested more than 100 levels deep"):
        names(f"{'not ' * 101}user")
