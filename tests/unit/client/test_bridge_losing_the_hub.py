from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from kapture.client import bridge as bridge_module
from kapture.client.connection import ConnectionClosedError, HubAbsentError
from tests.unit.client.test_bridge import bridged, call


class _LastWords:
    """A connection to a hub that answers a call, and is lost in the same moment to whoever sends."""

    def __init__(self) -> None:
        self._sent: list[bytes] = []
        self._answered = trio.Event()

    async def send(self, line: bytes) -> None:
        self._sent.append(line)
        if len(self._sent) == 2:
            self._answered.set()
            raise ConnectionClosedError

    async def receive(self) -> bytes:
        await self._answered.wait()
        self._answered = trio.Event()
        return b'{"jsonrpc":"2.0","id":1,"result":{}}'

    async def aclose(self) -> None:
        pass


async def test_an_answer_that_arrives_as_the_hub_is_lost_reaches_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connections = iter([_LastWords()])

    async def once(home: Path, query: str = "") -> Any:
        for connection in connections:
            return connection
        raise HubAbsentError

    monkeypatch.setattr(bridge_module, "connect_or_start", once)
    monkeypatch.setattr(bridge_module, "connect", once)
    async with bridged(tmp_path) as stdio:
        await stdio.say(call(1) + b"\n" + call(2) + b"\n")
        heard = [await stdio.hear_json() for _ in range(2)]
    assert [message["id"] for message in heard] == [1, 2]
    assert "result" in heard[0]
    assert "error" in heard[1]
