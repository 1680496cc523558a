from __future__ import annotations

from typing import Any

import pytest

from kapture.cdp import CdpConnection
from kapture.commands.har import har_log
from kapture.commands.network import matches, redacted
from kapture.page.network import CAPACITY, NetworkLog, Request
from tests.support.cdp_transports import EmptyTransport


async def observed() -> tuple[NetworkLog, CdpConnection]:
    connection = CdpConnection(EmptyTransport())
    log = NetworkLog(lambda session, frame: "https://shop.test/")
    await log.observe(connection.root)
    return log, connection


def send(connection: CdpConnection, request_id: str, url: str, **extra: Any) -> None:
    connection.deliver(
        "Network.requestWillBeSent",
        {
            "requestId": request_id,
            "type": "Fetch",
            "wallTime": 1_700_000_000.0,
            "timestamp": 10.0,
            "documentURL": "https://shop.test/",
            "request": {"method": "GET", "url": url, "headers": {"Cookie": "session=1", "Accept": "*/*"}},
            **extra,
        },
        None,
    )


def answer(connection: CdpConnection, request_id: str, status: int) -> None:
    connection.deliver(
        "Network.responseReceived",
        {
            "requestId": request_id,
            "type": "Fetch",
            "response": {"status": status, "statusText": "", "headers": {}, "mimeType": "application/json"},
        },
        None,
    )
    connection.deliver(
        "Network.loadingFinished", {"requestId": request_id, "timestamp": 10.25, "encodedDataLength": 12}, None
    )


async def test_a_request_is_followed_to_its_end() -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/api")
    (request,) = log.newest_first()
    assert not request.finished
    answer(connection, "1", 200)
    assert (request.status, request.bytes, request.duration_ms) == (200, 12, 250.0)


async def test_a_redirect_keeps_the_id_and_lists_the_hops() -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/old")
    send(connection, "1", "https://shop.test/new", redirectResponse={"status": 301})
    (request,) = log.newest_first()
    assert request.id == "r1"
    assert request.url == "https://shop.test/new"
    assert request.redirects == [(301, "https://shop.test/old")]


async def test_the_ring_is_bounded() -> None:
    log, connection = await observed()
    for number in range(CAPACITY + 3):
        send(connection, str(number), "https://shop.test/x")
    assert sum(1 for _ in log.newest_first()) == CAPACITY
    assert log.dropped_before == 3


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


async def test_a_har_has_what_the_format_demands_and_no_secret() -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/api?q=a&q=b")
    answer(connection, "1", 200)
    requests: list[Request] = list(log.oldest_first())
    entry = har_log(requests, {"r1": b"\xff\xfe"}, redacted)["log"]["entries"][0]
    assert entry["request"]["queryString"] == [{"name": "q", "value": "a"}, {"name": "q", "value": "b"}]
    assert entry["response"]["content"]["encoding"] == "base64"
    assert entry["time"] == 250.0
    assert "session=1" not in str(entry)
