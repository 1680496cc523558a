from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import KaptureError
from kapture.scenarios.parameters.placeholders import escape, roots, substitute

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
