from __future__ import annotations

from kapture.page.network_log import CAPACITY
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
