from __future__ import annotations

from kapture.commands.har import har_log
from kapture.commands.network import without_secrets
from kapture.page.typed_secrets import TypedSecrets
from tests.support.network_log import answer, observed, send


async def test_a_har_has_what_the_format_demands_and_no_secret() -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/api?q=a&q=b")
    answer(connection, "1", 200)
    requests = [without_secrets(request, TypedSecrets()) for request in log.oldest_first()]
    entry = har_log(requests, {"r1": b"\xff\xfe"})["log"]["entries"][0]
    assert entry["request"]["queryString"] == [{"name": "q", "value": "a"}, {"name": "q", "value": "b"}]
    assert entry["response"]["content"]["encoding"] == "base64"
    assert entry["time"] == 250.0
    assert "session=1" not in str(entry)
