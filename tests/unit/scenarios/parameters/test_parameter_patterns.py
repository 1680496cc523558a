from __future__ import annotations

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Parameter
from kapture.scenarios.parameters import parameter_patterns
from kapture.scenarios.parameters.parameter_patterns import fits_of, why_no_pattern


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
def test_what_is_no_pattern_is_refused_with_the_reason(pattern: str) -> None:
    assert why_no_pattern(pattern)
    assert why_no_pattern("a+") is None
