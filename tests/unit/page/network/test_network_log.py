from __future__ import annotations

from kapture.page.network.network_log import CAPACITY
from tests.support.network_log import answer, observed, send


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
    oldest = next(log.oldest_first())
    assert oldest.id == "r4"


async def test_raw_headers_of_a_redirect_to_another_host_are_not_those_of_the_request_before() -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/go")
    raw = {"requestId": "1", "headers": {":authority": "bank.test", "cookie": "session=1", "x-secret": "1"}}
    connection.deliver("Network.requestWillBeSentExtraInfo", raw, None)
    (request,) = log.newest_first()
    assert "x-secret" not in request.headers
    own = {"requestId": "1", "headers": {"Host": "SHOP.test", "X-Own": "1"}}
    connection.deliver("Network.requestWillBeSentExtraInfo", own, None)
    assert request.headers["X-Own"] == "1"


async def test_headers_of_a_redirect_are_never_those_of_the_hop_after_it() -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/go")

    def asked(host: str) -> None:
        raw = {"requestId": "1", "headers": {"Host": host, f"X-{host}": "1"}}
        connection.deliver("Network.requestWillBeSentExtraInfo", raw, None)

    def answered(host: str, status: int) -> None:
        raw = {"requestId": "1", "statusCode": status, "headers": {f"X-{host}": "1"}}
        connection.deliver("Network.responseReceivedExtraInfo", raw, None)

    asked("shop.test")
    answered("shop.test", 302)
    asked("bank.test")  # before its hop is reported
    send(connection, "1", "https://shop.test/back", redirectResponse={"status": 307, "url": "https://bank.test/in"})
    answered("bank.test", 307)
    answered("bank.test", 401)
    asked("shop.test")
    answered("shop.test", 200)
    (request,) = log.newest_first()
    assert "X-shop.test" in request.headers
    assert request.response_headers == {"X-shop.test": "1"}
    assert "X-bank.test" not in request.headers


async def test_a_websocket_belongs_to_the_origin_of_its_handshake() -> None:
    log, connection = await observed()
    connection.deliver("Network.webSocketCreated", {"requestId": "1", "url": "wss://bank.test/live"}, None)
    handshake = {"headers": {"origin": "https://bank.test", "Host": "bank.test"}}
    sent = {"requestId": "1", "timestamp": 1.0, "wallTime": 1.0, "request": handshake}
    connection.deliver("Network.webSocketWillSendHandshakeRequest", sent, None)
    (request,) = log.newest_first()
    assert request.owners == ("https://bank.test",)


async def test_a_request_belongs_to_its_frame_and_to_the_document_that_it_names() -> None:
    log, connection = await observed()
    send(connection, "1", "https://cdn.test/x.js", documentURL="https://bank.test/")
    send(connection, "2", "https://bank.test/", type="Document")
    document, script = log.newest_first()
    assert set(script.owners) == {"https://shop.test/", "https://bank.test/"}
    assert document.owners == ("https://bank.test/",), "a navigation is the document's that it will become"
    assert log.owners("1") == script.owners
    assert log.owners("never made") == ("unknown:",)
