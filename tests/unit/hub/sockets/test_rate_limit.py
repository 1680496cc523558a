"""The rate limit of messages that cannot be used."""

from __future__ import annotations

import trio.testing

from kapture.hub.sockets.rate_limit import RateLimit


async def test_as_many_events_as_allowed_do_not_exceed_the_limit(mock_clock: trio.testing.MockClock) -> None:
    limit = RateLimit(3, 10_000)
    assert [limit.exceeded() for _ in range(4)] == [False, False, False, True]


async def test_events_count_only_within_the_window(mock_clock: trio.testing.MockClock) -> None:
    limit = RateLimit(3, 10_000)
    for _ in range(5):
        for _ in range(3):
            assert not limit.exceeded()
        mock_clock.jump(11)
