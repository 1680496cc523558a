from __future__ import annotations

import pytest
import trio

from kapture.background import running_beside


async def test_the_task_is_cancelled_at_the_end_of_the_block() -> None:
    ended = trio.Event()

    async def task() -> None:
        try:
            await trio.sleep_forever()
        finally:
            ended.set()

    async with running_beside(task):
        await trio.testing.wait_all_tasks_blocked()
        assert not ended.is_set()
    assert ended.is_set()


async def test_an_error_of_the_block_is_raised_as_it_is_with_its_cause() -> None:
    cause = KeyError("cause")
    with pytest.raises(ValueError, match="mine") as raised:
        async with running_beside(trio.sleep_forever):
            raise ValueError("mine") from cause
    assert raised.value.__cause__ is cause
