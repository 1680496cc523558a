"""A network that delays, cuts, doubles, stalls and resets what tabs and clients send."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.hub_process import HubProcess, running_hub
from tests.faults.world import Tally, network_faults, newcomers_are_served, world


@pytest.fixture(scope="module")
def hub() -> Iterator[HubProcess]:
    with running_hub() as running:
        yield running


@pytest.mark.parametrize("seed", range(2))
async def test_honest_tabs_and_clients_notice_nothing_of_others_faults(hub: HubProcess, seed: int) -> None:
    tally = Tally()
    async with world(hub, tally) as there:
        await network_faults(there, seed=seed, connections=8, calls=4)
    await newcomers_are_served(hub, tally, f"new{seed}")
    assert tally.lost == 0
    assert tally.calls > 0
