"""A network log that is fed requests without a browser."""

from __future__ import annotations

from typing import Any

from kapture.cdp import CdpConnection
from kapture.page.network.network_log import NetworkLog
from tests.support.cdp_transports import EmptyTransport


async def observed() -> tuple[NetworkLog, CdpConnection]:
    connection = CdpConnection(EmptyTransport())
    log = NetworkLog(lambda session, frame: ("https://shop.test/",))
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
