"""A hub that is killed, or suspended, in the middle of its work."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from pathlib import Path

import trio
import trio.testing

from bench.hub_process import HubProcess, free_port, running_hub, started_hub
from bench.simulated_tab import simulated_tab
from tests.faults.counting import CountingClient, counting_client
from tests.faults.world import PATIENCE_S, Tally, newcomers_are_served, recovered, world

_UNDER_LOAD = 20


async def kill_under_load(home: Path, port: int, tally: Tally) -> None:
    """A hub is killed while commands run; the next one on the same folder and port serves new tabs and clients."""
    with started_hub(home, port) as hub, trio.fail_after(PATIENCE_S):
        async with (
            simulated_tab(port, hub.token, "busy"),
            counting_client(port, hub.token) as client,
            trio.open_nursery() as nursery,
        ):
            answered = trio.Event()
            for number in range(4):
                nursery.start_soon(_until_lost, client, number, answered)
            await answered.wait()
            hub.process.kill()
        assert client.lost
        assert client.answered_twice() == []
        tally.faults["killed"] += 1

    async def start_again() -> None:
        await newcomers_are_served(stack.enter_context(started_hub(home, port)), tally, "busy")

    with ExitStack() as stack:
        await recovered(tally, start_again)


async def _until_lost(client: CountingClient, number: int, answered: trio.Event) -> None:
    count = 0
    while not client.lost:
        result = await client.click("busy", f"#k{number}x{count}", timeout_ms=PATIENCE_S * 1_000)
        assert result is None or f"#k{number}x{count}" in result["content"][0]["text"]
        count += 1
        if count == _UNDER_LOAD:
            answered.set()


async def suspend_under_load(hub: HubProcess, tally: Tally) -> None:
    """The hub stands still while commands are sent to it, and answers all of them when it goes on."""
    async with world(hub, tally) as there:
        await there.honest_call()
        hub.process.send_signal(signal.SIGSTOP)
        try:
            async with trio.open_nursery() as nursery:
                for _ in range(8):
                    nursery.start_soon(there.honest_call)
                await trio.testing.wait_all_tasks_blocked()
                hub.process.send_signal(signal.SIGCONT)
        finally:
            hub.process.send_signal(signal.SIGCONT)
        tally.faults["suspended"] += 1
        await recovered(tally, there.honest_call)


async def test_after_a_killed_hub_the_next_one_serves_and_no_call_is_answered_twice(tmp_path: Path) -> None:
    tally = Tally()
    await kill_under_load(tmp_path, free_port(), tally)
    assert tally.lost == 0


async def test_call_to_suspended_hub_is_answered_when_it_resumes() -> None:
    tally = Tally()
    with running_hub() as hub:
        await suspend_under_load(hub, tally)
        await newcomers_are_served(hub, tally, "later")
    assert tally.lost == 0
