from __future__ import annotations

import pytest

from kapture.commands.network.requests import matches, redacted
from tests.support.network_log import observed, send


@pytest.mark.parametrize(
    ("status", "failure", "wanted", "expected"),
    [
        (404, "", "404", True),
        (404, "", "4xx", True),
        (404, "", "5xx", False),
        (None, "net::ERR_FAILED", "failed", True),
        (None, "", "pending", True),
        (200, "", "200", True),
        (200, "", "2", False),
    ],
)
async def test_status_filters(status: int | None, failure: str, wanted: str, expected: bool) -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/x")
    (request,) = log.newest_first()
    request.status = status
    request.failure = failure
    assert matches(request, status=wanted) is expected


def test_headers_that_carry_a_session_are_redacted() -> None:
    shown = redacted({"Cookie": "a=1", "AUTHORIZATION": "Bearer x", "Accept": "*/*"})
    assert shown == {"Cookie": "(redacted)", "AUTHORIZATION": "(redacted)", "Accept": "*/*"}
