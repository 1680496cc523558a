from __future__ import annotations

import trio
from trio.testing import wait_all_tasks_blocked

from kapture.changed import Changed


async def test_a_change_wakes_every_task_that_waits_and_no_later_one() -> None:
    changed = Changed()
    woken: list[int] = []

    async def wait(number: int) -> None:
        await changed.wait()
        woken.append(number)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait, 1)
        nursery.start_soon(wait, 2)
        await wait_all_tasks_blocked()
        changed.notify()
        await wait_all_tasks_blocked()
        assert sorted(woken) == [1, 2]
        nursery.start_soon(wait, 3)
        await wait_all_tasks_blocked()
        assert 3 not in woken
        nursery.cancel_scope.cancel()


async def test_a_change_between_looking_and_waiting_is_not_missed() -> None:
    changed = Changed()
    upcoming = changed.upcoming
    changed.notify()
    with trio.fail_after(30):
        await upcoming.wait()
    assert not changed.upcoming.is_set()
