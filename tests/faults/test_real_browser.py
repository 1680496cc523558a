"""A real browser that stops, crashes, stands still or is killed while its tabs are worked in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.hub_process import HubProcess, running_hub
from tests.faults.real_browser import crash_page, kill_browser, scene_of, stop_worker, suspend_browser, under_load
from tests.faults.world import Tally

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform == "win32", reason="suspends and kills process groups")]

_FAULTS = {"worker stopped": stop_worker, "page crashed": crash_page, "browser suspended": suspend_browser(0.5)}


@pytest.fixture(scope="module")
def hub() -> Iterator[HubProcess]:
    with running_hub() as running:
        yield running


async def test_calls_are_answered_once_and_tabs_serve_again_when_parts_of_a_browser_stop(
    hub: HubProcess, tmp_path: Path
) -> None:
    tally = Tally()
    async with scene_of(hub, tmp_path, tally) as scene:
        for what, fault in _FAULTS.items():
            await under_load(scene, what, fault)
    assert tally.lost == 0
    assert tally.faults == dict.fromkeys(_FAULTS, 1)


async def test_calls_to_a_killed_browser_are_answered_once_and_the_next_one_serves(
    hub: HubProcess, tmp_path: Path
) -> None:
    tally = Tally()
    await kill_browser(hub, tmp_path, tally)
    assert tally.lost == 0
    assert tally.faults == {"browser killed": 1}
