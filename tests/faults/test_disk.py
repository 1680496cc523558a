"""A disk that takes nothing more."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from bench.hub_process import HubProcess, running_hub
from kapture.cli.rotate_key import rotate
from kapture.pairing import key_file
from tests.faults.counting import CountingClient
from tests.faults.world import Tally, newcomers_are_served, world

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sets the limits of another process")


async def _status(client: CountingClient) -> str:
    answer = await client.request("tools/call", {"name": "kapturemcp_status", "arguments": {}})
    assert answer is not None
    return json.dumps(answer)


@contextmanager
def full_disk_of(hub: HubProcess) -> Iterator[None]:
    """No file of the hub can grow during the block."""
    import resource

    resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


async def full_disk(hub: HubProcess, tally: Tally) -> str:
    """No file of the hub can grow any more, and its key is to be changed; what `status` says then."""
    async with world(hub, tally) as there:
        await there.honest_call()
        tally.faults["disk full"] += 1
        with full_disk_of(hub):
            for _ in range(5):
                await there.honest_call()
            await newcomers_are_served(hub, tally, "beside")
            status = await _status(there.client)
            while "auditFailure" not in status:  # the log is written beside the calls
                status = await _status(there.client)
            before = key_file.read(hub.home)
            with pytest.raises(click.ClickException, match="File too large"):
                await rotate(hub.home)
            hub.process.send_signal(signal.SIGHUP)
            for _ in range(5):
                await there.honest_call()
            assert key_file.read(hub.home) == before
            await newcomers_are_served(hub, tally, "later")
        await there.honest_call()
        return status


async def test_a_hub_whose_disk_is_full_serves_on_and_says_so_in_status() -> None:
    tally = Tally()
    with running_hub() as hub:
        status = await full_disk(hub, tally)
        await newcomers_are_served(hub, tally, "after")
    assert "File too large" in status
    assert tally.lost == 0


async def test_a_hub_whose_data_folder_has_gone_serves_those_who_are_there(tmp_path: Path) -> None:
    tally = Tally()
    with running_hub() as hub:
        async with world(hub, tally) as there:
            await there.honest_call()
            # At one blow: what the hub writes meanwhile would keep a folder from being emptied.
            shutil.rmtree(hub.home.rename(tmp_path / "gone"))
            for _ in range(5):
                await there.honest_call()
            hub.home.mkdir(mode=0o700)
    assert tally.lost == 0
