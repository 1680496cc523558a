"""Refs: how they are written and read."""

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.frame import expect_ref, parse_ref, ref_text


@pytest.mark.parametrize("key", [("", 1), ("f2", 12), ("f10", 0)])
def test_a_ref_is_read_as_it_was_written(key: tuple[str, int]) -> None:
    assert parse_ref(ref_text(*key)) == key
    assert parse_ref(f" ref={ref_text(*key)} ") == key
    assert parse_ref(f"@{ref_text(*key)}") == key


_LONG = "9" * 5_000
"""More digits than Python converts to a number."""


@pytest.mark.parametrize("text", ["", "12", "e", "f2", "e12x", "#e12", "fe1", "e-1", "e١", f"e{_LONG}", f"f{_LONG}e1"])
def test_other_texts_are_no_refs(text: str) -> None:
    assert parse_ref(text) is None
    with pytest.raises(KaptureError) as caught:
        expect_ref(text)
    assert caught.value.code is ErrorCode.INVALID_PARAMS
    assert caught.value.data == {"ref": text}
