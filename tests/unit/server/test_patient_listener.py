"""A system that has no room for another connection is waited for, and does not fill the log."""

from __future__ import annotations

import errno

import pytest
import trio
from trio.testing import MockClock

from kapture.server.listener import PatientListener


class FullListener(trio.abc.Listener[trio.SocketStream]):
    """Fails with `number` until `room_at`."""

    def __init__(self, number: int, room_at: float) -> None:
        self.number = number
        self.room_at = room_at
        self.stream = trio.SocketStream(trio.socket.socket())

    async def accept(self) -> trio.SocketStream:
        await trio.lowlevel.checkpoint()
        if trio.current_time() < self.room_at:
            raise OSError(self.number, "")
        return self.stream

    async def aclose(self) -> None:
        await self.stream.aclose()


async def test_a_system_without_room_is_waited_for_and_told_of_in_few_lines(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with FullListener(errno.EMFILE, trio.current_time() + 25) as full:
        assert await PatientListener(full).accept() is full.stream
    assert [record.exc_info for record in caplog.records] == [None] * 3
    assert {record.getMessage() for record in caplog.records} == {
        "No room for another connection: Too many open files. Raise `ulimit -n`, or close some."
    }
