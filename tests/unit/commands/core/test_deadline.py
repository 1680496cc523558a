"""Commands give up before the hub does."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from kapture.commands.core.deadline import before_timeout, remaining_ms, timeout_to_wait


@pytest.mark.parametrize("timeout_s", [0.01, 0.3, 1.0, 30.0, 600.0])
async def test_a_command_gives_up_before_its_timeout_but_not_long_before(
    autojump_clock: MockClock, timeout_s: float
) -> None:
    began = trio.current_time()
    with trio.fail_after(timeout_s):
        with before_timeout() as patience:
            await trio.sleep_forever()
        assert patience.ran_out
        waited = trio.current_time() - began
        assert timeout_s / 2 <= waited < timeout_s
        assert timeout_s - waited <= 0.25 + 1e-6
        assert remaining_ms() > 0


@pytest.mark.parametrize("wait_s", [0.01, 0.3, 0.5, 1.0, 3.0, 30.0, 500.0])
async def test_a_timeout_made_for_a_wait_leaves_the_whole_wait(autojump_clock: MockClock, wait_s: float) -> None:
    began = trio.current_time()
    with trio.fail_after(timeout_to_wait(wait_s * 1000) / 1000), before_timeout():
        await trio.sleep_forever()
    assert trio.current_time() - began == pytest.approx(wait_s)


async def test_a_command_answers_itself_when_both_deadlines_pass_at_once(mock_clock: MockClock) -> None:
    async def work() -> str:
        with before_timeout() as patience:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.sleep_forever)
                mock_clock.jump(2)  # the event loop was busy over both
        return "gave up" if patience.ran_out else "finished"

    with trio.move_on_after(1):
        assert await work() == "gave up"
        return
    pytest.fail("the outer deadline took the answer")
