"""Globs over URLs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.glob import glob_matches


@pytest.mark.parametrize(
    ("glob", "url", "matches"),
    [
        ("https://a.example/", "https://a.example/", True),
        ("https://a.example/", "https://a.example/x", False),
        ("*/api/*", "https://a.example/api/7", True),
        ("*/api/*", "https://a.example/apis/7", False),
        ("*.png", "https://a.example/x.png?v=1.png", True),
        ("*/item?", "https://a.example/item7", True),
        ("*/item?", "https://a.example/item", False),
        ("ab*ba", "aba", False),
        ("**", "", True),
        ("*[a]*", "https://a.example/[a]", True),
    ],
)
def test_a_star_is_any_text_and_a_question_mark_any_character(glob: str, url: str, matches: bool) -> None:
    assert glob_matches(url, glob) is matches


@given(st.text("ab*?", max_size=8), st.text("ab\n", max_size=10))
def test_a_glob_matches_what_a_regular_expression_of_it_does(glob: str, url: str) -> None:
    expression = "".join(".*" if char == "*" else "." if char == "?" else char for char in glob)
    assert glob_matches(url, glob) is (re.fullmatch(expression, url, re.DOTALL) is not None)


def test_no_address_makes_a_glob_try_every_combination() -> None:
    # A regular expression of this glob would not end in this lifetime.
    assert not glob_matches("https://a.example/" + "/api" * 5_000, "*/api" * 30 + "*/end")
