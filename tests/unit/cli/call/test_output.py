"""What `kapture call` prints of an answer, and what it saves."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from kapture.cli.call.output import show_answer, show_failure

PAGE = {"type": "text", "text": "<page-content 1f>\nheading\n</page-content 1f>"}
PICTURE = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(b"picture").decode()}


def test_text_that_is_saved_is_not_printed_as_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "page.txt"
    show_answer({"content": [PAGE]}, as_json=False, output=str(file), plain=False)
    assert capsys.readouterr().out == f"Saved: {file}\n"
    assert file.read_text() == "heading\n"


def test_text_beside_a_picture_that_is_saved_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "page.png"
    show_answer({"content": [PAGE, PICTURE]}, as_json=False, output=str(file), plain=True)
    assert capsys.readouterr().out == f"heading\nSaved: {file}\n"
    assert file.read_bytes() == b"picture"


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
