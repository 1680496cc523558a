"""Errors as results of tools."""

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.results import error_result


@pytest.mark.parametrize("code", [ErrorCode.EXECUTION_ERROR, ErrorCode.INVALID_PARAMS])
def test_a_long_error_of_a_page_does_not_fill_the_models_context(code: ErrorCode) -> None:
    text = error_result(KaptureError(code, "x" * 5_000_000, hint="Look at the page."))["content"][0]["text"]
    assert len(text) < 9_000
    assert "… [4992000 more characters]" in text
    assert text.endswith("Look at the page.")
