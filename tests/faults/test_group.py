"""A group of hubs whose server is killed, whose network fails and one of whose hubs is killed."""

from __future__ import annotations

from pathlib import Path

from tests.faults.group import group_of_hubs
from tests.faults.world import Tally


async def test_calls_between_hubs_run_at_most_once_and_all_end_whatever_is_killed(tmp_path: Path) -> None:
    tally = Tally()
    async with group_of_hubs(tmp_path, tally, seed=0, hubs=2, tabs=2, clients=2) as there:

        async def kill_both() -> None:
            await there.kill_hub()
            await there.kill_server()  # else the ids of the hub's tabs are its predecessor's for a lease

        await there.inject("connections cut", there.cut_connections)
        await there.inject("hub and server killed", kill_both)
    assert tally.lost == 0
    assert tally.calls > 0
    assert "" in there.outcomes.values()
