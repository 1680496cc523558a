"""Commands give up before the hub does."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from kapture.commands.core.deadline import before_timeout, remaining_ms


@pytest.mark.parametrize("timeout_s", [0.01, 0.3, 1.0, 30.0, 600.0])
async def test_a_command_gives_up_before_its_timeout_but_not_long_before(
    autojump_clock: MockClock, timeout_s: float
) -> None:
    began = trio.current_time()
    with trio.fail_after(timeout_s):
        with before_timeout() as patience:
            await trio.sleep_forever()
        assert patience.cancelled_caught
        waited = trio.current_time() - began
        assert timeout_s / 2 <= waited < timeout_s
        assert timeout_s - waited <= 0.25 + 1e-6
        assert remaining_ms() > 0


async def test_without_a_timeout_nothing_is_given_up(autojump_clock: MockClock) -> None:
    with before_timeout():
        await trio.sleep(80_000)
    assert remaining_ms() == float("inf")
