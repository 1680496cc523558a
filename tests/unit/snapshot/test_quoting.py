"""Whatever a page writes stays between its quotes, visible and on one line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.snapshot.quoting import flat, plain_url, quote, token, verbatim

QUOTED = re.compile(r'"(?:[^"\\]|\\["\\nt])*"…?')
hostile = st.text(alphabet=st.one_of(st.characters(), st.sampled_from('"\\\n\r\t\u2028\u202e\U000e0041\ud800=… ')))


@given(hostile, st.integers(1, 50))
def test_a_quote_ends_where_it_says(text: str, limit: int) -> None:
    assert QUOTED.fullmatch(quote(flat(text), limit))
    inner = quote(flat(text), limit).removesuffix("…")[1:-1]
    assert '"' not in inner.replace("\\\\", "").replace('\\"', "")


@given(hostile)
def test_flat_text_is_one_line_that_any_encoder_takes(text: str) -> None:
    shown = flat(text)
    shown.encode()
    assert len(shown.splitlines()) <= 1
    assert shown == shown.strip()


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"]), min_size=1))
def test_visible_text_is_left_as_it_is(text: str) -> None:
    assert flat(text) == text


@given(hostile)
def test_flattening_twice_changes_nothing(text: str) -> None:
    assert flat(flat(text)) == flat(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u00a0 b\n", "a b"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\ue123 Save", "Save"),
        ("\u202eevil", "‹U+202E›evil"),
        ("a\U000e0041b", "ab"),
        ("\ud83d", "‹U+D83D›"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d👩", "👩\u200d👩"),
    ],
)
def test_invisible_characters(text: str, shown: str) -> None:
    assert flat(text) == shown


def test_typed_line_ends_are_reported() -> None:
    assert quote(verbatim("one\r\ntwo\tthree"), 99) == '"one\\ntwo\\tthree"'


@given(hostile)
def test_a_url_has_nothing_that_could_end_it(url: str) -> None:
    assert re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]*…?", plain_url(url, 60))


@given(hostile)
def test_a_token_is_one_word_or_quoted(text: str) -> None:
    assert re.fullmatch(r'[A-Za-z][A-Za-z0-9_-]*|".*"…?', token(text))
