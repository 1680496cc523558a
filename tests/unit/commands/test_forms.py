"""Errors of forms that could not be filled."""

from __future__ import annotations

import pytest

from kapture.commands.forms import FieldResult, none_filled
from kapture.errors import ErrorCode


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (1, "No element matches css '#a'."),
        (2, "None of the 2 fields could be filled. The first error: No element matches css '#a'."),
    ],
)
def test_a_form_of_one_field_fails_in_the_words_of_its_field(number: int, message: str) -> None:
    error = {"code": "ELEMENT_NOT_FOUND", "message": "No element matches css '#a'.", "hint": "Look again."}
    failed = none_filled([FieldResult(field=f"field {at}", filled=False, error=error) for at in range(number)])
    assert (failed.code, failed.message, failed.hint) == (ErrorCode.ELEMENT_NOT_FOUND, message, "Look again.")
    assert [row["field"] for row in failed.data["fields"]] == [f"field {at}" for at in range(number)]
