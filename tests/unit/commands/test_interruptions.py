"""Why a download was interrupted."""

from __future__ import annotations

import pytest

from kapture.commands.files import interruption


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("SERVER_BAD_CONTENT", "the server does not have the file, as with HTTP status 404 (SERVER_BAD_CONTENT)"),
        ("CRASH", "CRASH"),
        ("the connection or the page has gone", "the connection or the page has gone"),
        ("", "no reason given"),
        (None, "no reason given"),
    ],
)
def test_chromes_reason_is_said_in_words_with_its_name(reason: str | None, words: str) -> None:
    assert interruption(reason) == words
