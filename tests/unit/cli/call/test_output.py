"""What `kapture call` prints of an answer, and what it saves."""

from __future__ import annotations

import pytest

from kapture.cli.call.output import show_answer, show_failure

PAGE = {"type": "text", "text": "<page-content 1f>\nheading\n</page-content 1f>"}


def test_without_a_file_an_answer_is_printed_with_its_marks(capsys: pytest.CaptureFixture[str]) -> None:
    show_answer({"content": [PAGE]}, as_json=False, output=None, plain=False)
    assert capsys.readouterr().out == PAGE["text"] + "\n"


@pytest.mark.parametrize(("plain", "shown"), [(True, "heading"), (False, PAGE["text"])])
def test_an_error_that_quotes_a_page_has_marks_only_where_they_are_wanted(
    plain: bool, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    error = {"type": "text", "text": f"EXECUTION_ERROR: {PAGE['text']}\nLook again."}
    show_failure({"content": [error]}, as_json=False, plain=plain)
    assert capsys.readouterr().err == f"EXECUTION_ERROR: {shown}\nLook again.\n"
