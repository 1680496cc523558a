from __future__ import annotations

from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.backends.outbox import Outbox
from kapture.errors import ErrorCode, KaptureError


class _Socket:
    def __init__(self) -> None:
        self.sent: list[str] = []
        self.open = trio.Event()

    async def get_message(self) -> str:
        raise NotImplementedError

    async def send_message(self, message: str) -> None:
        await self.open.wait()
        self.sent.append(message)

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        raise NotImplementedError


async def test_the_limit_counts_bytes(nursery: Any) -> None:
    outbox, socket = Outbox(10), _Socket()
    nursery.start_soon(outbox.write_to, socket)
    outbox.put("12345")
    with pytest.raises(KaptureError) as failure:
        outbox.put("ééé")
    assert failure.value.code is ErrorCode.QUEUE_FULL
    assert not outbox.offer("123456")
    socket.open.set()
    await outbox.flushed()
    outbox.put("ééé")
    await wait_all_tasks_blocked()
    assert socket.sent == ["12345", "ééé"]


async def test_no_frame_is_larger_than_a_message_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kapture.backends.outbox.MAX_MESSAGE_BYTES", 100)
    with pytest.raises(KaptureError) as failure:
        Outbox(1_000).put("x" * 101)
    assert failure.value.code is ErrorCode.INVALID_PARAMS


async def test_closing_while_a_frame_is_being_sent_drops_the_rest(nursery: Any) -> None:
    outbox, socket = Outbox(1_000), _Socket()
    nursery.start_soon(outbox.write_to, socket)
    outbox.put("1")
    outbox.put("2")
    await wait_all_tasks_blocked()
    outbox.close()
    outbox.put("3")
    socket.open.set()
    await wait_all_tasks_blocked()
    assert socket.sent == ["1"]
