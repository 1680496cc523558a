"""What a client is told when the hub does not let it in."""

from __future__ import annotations

from pathlib import Path

import pytest

from kapture.client.connection import connect
from kapture.errors import ErrorCode, KaptureError
from kapture.server.connections import TooManyConnectionsError
from tests.support.fake_hub import FakeHub
from tests.support.fake_hub_port import listening


async def test_a_client_without_room_is_told_so_and_starts_no_hub_of_its_own(tmp_path: Path, hub: FakeHub) -> None:
    def full() -> None:
        raise TooManyConnectionsError(ErrorCode.QUEUE_FULL, "The hub has 2 connections.")

    async with listening(hub, tmp_path, on_authenticated=full):
        with pytest.raises(KaptureError, match="The hub has 2 connections") as failure:
            await connect(tmp_path)
        assert failure.value.code is ErrorCode.QUEUE_FULL
