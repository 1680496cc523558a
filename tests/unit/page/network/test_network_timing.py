"""A request's time, by phase: the parts add up to the whole."""

from __future__ import annotations

import pytest

from kapture.page.network.network_request import phases

FRESH = {
    "requestTime": 100.010,
    "proxyStart": -1,
    "dnsStart": 2,
    "dnsEnd": 5,
    "connectStart": 5,
    "connectEnd": 30,
    "sslStart": 12,
    "sslEnd": 30,
    "sendStart": 31,
    "sendEnd": 31.5,
    "receiveHeadersEnd": 80,
}
REUSED = {**FRESH, "dnsStart": -1, "dnsEnd": -1, "connectStart": -1, "connectEnd": -1, "sslStart": -1, "sslEnd": -1}


def test_a_fresh_connection_shows_each_phase() -> None:
    assert phases(FRESH, 100.0, 100) == {
        "blocked": pytest.approx(13),  # 10 before it was sent, 2 before the name was looked up, 1 when connected
        "dns": 3,
        "connect": 25,
        "ssl": 18,
        "send": 0.5,
        "wait": 48.5,
        "receive": pytest.approx(10),
    }


@pytest.mark.parametrize("timing", [FRESH, REUSED, {**REUSED, "sendStart": 0, "sendEnd": 0}])
def test_the_phases_but_ssl_add_up_to_the_whole(timing: dict[str, float]) -> None:
    found = phases(timing, 100.0, 100)
    assert sum(ms for name, ms in found.items() if name != "ssl") == pytest.approx(100)
