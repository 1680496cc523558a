"""The computer's clock is set forth and back while commands run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import trio

from bench.hub_process import HubProcess, free_port, started_hub
from tests.faults.world import Tally, newcomers_are_served, world

_FILE = "clock"
_HUB = (
    "import os, pathlib, time\n"
    "real, file = time.time, pathlib.Path(os.environ['KAPTURE_HOME'], 'clock')\n"
    "time.time = lambda: real() + float(file.read_text())\n"
    "from kapture.__main__ import main\n"
    "main()\n"
)
_DAY_S = 86_400
JUMPS_S = (_DAY_S, -_DAY_S, 3_600, -3_600, 365 * _DAY_S, -365 * _DAY_S, 0.0)


async def clock_jumps(hub: HubProcess, tally: Tally) -> None:
    """The hub's clock jumps between and beside commands; `status` shows no time that ran backwards."""
    async with world(hub, tally) as there:
        for jump in JUMPS_S:
            async with trio.open_nursery() as nursery:
                for _ in range(4):
                    nursery.start_soon(there.honest_call)
                _set_clock(hub.home, jump)
            tally.faults["clock jumped"] += 1
            await there.honest_call()
            await newcomers_are_served(hub, tally, f"at{jump:.0f}")
            answer = await there.client.request("tools/call", {"name": "kapturemcp_status", "arguments": {}})
            assert answer is not None
            assert "silentMs: -" not in json.dumps(answer)


def hub_with_a_clock(home: Path) -> tuple[str, ...]:
    """The command of a hub whose clock `clock_jumps` sets."""
    _set_clock(home, 0)
    return (sys.executable, "-c", _HUB)


def _set_clock(home: Path, jump_s: float) -> None:
    new = home / f"{_FILE}.new"
    new.write_text(str(jump_s))
    new.replace(home / _FILE)


async def test_a_clock_that_is_set_forth_and_back_disturbs_no_call(tmp_path: Path) -> None:
    tally = Tally()
    with started_hub(tmp_path, free_port(), kapture=hub_with_a_clock(tmp_path)) as hub:
        await clock_jumps(hub, tally)
    assert tally.lost == 0
    assert tally.faults["clock jumped"] == len(JUMPS_S)
