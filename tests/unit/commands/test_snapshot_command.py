"""Taking snapshots of the page: what is checked before the page is looked at."""

from __future__ import annotations

import pytest

from kapture.commands.snapshot import Snapshot, snapshot
from kapture.errors import ErrorCode, KaptureError
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World


@pytest.mark.parametrize("start", ["", "here", "e1:x", "e1:-1", "e1:١", "e1:" + "9" * 5_000, "e" + "9" * 5_000])
async def test_a_start_that_no_snapshot_shows_is_refused(start: str) -> None:
    world = World()
    with pytest.raises(KaptureError) as caught:
        await snapshot(tab_of(world), Snapshot(start=start))
    assert caught.value.code is ErrorCode.INVALID_PARAMS
    assert world.sent == []
