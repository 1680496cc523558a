"""Why a page could not be opened, in words."""

from __future__ import annotations

import pytest

from kapture.page.navigation_watcher import navigation_failed


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        ("net::ERR_CONNECTION_REFUSED", None, "nothing listens there (connection refused) (ERR_CONNECTION_REFUSED)."),
        ("net::ERR_HTTP_RESPONSE_CODE_FAILURE", 404, "the server answered HTTP 404 without a page"),
        ("net::ERR_HTTP_RESPONSE_CODE_FAILURE", None, "the server answered with an error and without a page"),
        ("net::ERR_INVALID_AUTH_CREDENTIALS", 401, "the server asks for a name and a password"),
        ("net::ERR_CERT_DATE_INVALID", None, "the server's certificate is not valid"),
        ("net::ERR_BLOCKED_BY_CLIENT", None, "an extension, or a rule that route has set, blocked it"),
        ("net::ERR_NEW", None, "could not be opened: ERR_NEW."),
    ],
)
def test_the_browsers_error_is_told_in_words(error: str, status: int | None, words: str) -> None:
    failure = navigation_failed("https://a.example/", error, status)
    assert failure.message.startswith("https://a.example/ could not be opened: ")
    assert words in failure.message
    assert failure.data["reason"] == error.removeprefix("net::")
