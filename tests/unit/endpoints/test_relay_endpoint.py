"""Messages of a relay extension before the hub knows its tabs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.endpoints.relay import RelayEndpoint
from kapture.settings import Limits
from tests.unit.backends.relay.scripted_relay import ScriptedExtension

NESTED = '{"id": "first", "result": ' + "[" * 10_000 + "]" * 10_000 + "}"


@pytest.mark.parametrize("frame", ["[" * 200_000, NESTED, "NaN", r'"\ud800"', "1" * 5_000], ids=lambda frame: frame[:9])
async def test_unreadable_message_does_not_end_the_connection(frame: str, tmp_path: Path) -> None:
    socket = ScriptedExtension()
    state = SimpleNamespace(
        settings=SimpleNamespace(relay_token="token", limits=Limits(), home=tmp_path),
        router=SimpleNamespace(room=1),
        open_page=None,
    )
    endpoint = RelayEndpoint(SimpleNamespace(state=state), 1)  # type: ignore[arg-type]

    async def accept() -> Any:
        await trio.lowlevel.checkpoint()
        return socket

    await socket.to_hub.send(frame)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(endpoint.serve, SimpleNamespace(accept=accept))  # type: ignore[arg-type]
        await wait_all_tasks_blocked()
        await socket.say(type="ping")
        await wait_all_tasks_blocked()
        assert {"type": "pong"} in socket.sent
        nursery.cancel_scope.cancel()
