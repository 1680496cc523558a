"""A WebSocket of a client that reads slowly, or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.commands.core.result import CallResult
from kapture.mcp.options import Options
from kapture.mcp.outgoing import LIMIT_BYTES
from kapture.mcp.websocket import serve_websocket
from tests.support.fake_hub import FakeClient, FakeHub, result

ANSWER_BYTES = 1_000_000
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "tester", "version": "1"},
}


class StuckSocket:
    """The hub's end of a client that sends what it is given and reads nothing until `reads` is set."""

    def __init__(self) -> None:
        self.sending, self._frames = trio.open_memory_channel[str](10_000)
        self.reads = trio.Event()
        self.begun = 0
        self.received: list[dict[str, Any]] = []

    def send(self, method: str, **fields: Any) -> None:
        self.sending.send_nowait(json.dumps({"jsonrpc": "2.0", "method": method, **fields}))

    async def get_message(self) -> str:
        return await self._frames.receive()

    async def send_message(self, message: str) -> None:
        self.begun += 1
        await self.reads.wait()
        self.received.append(json.loads(message))

    async def aclose(self, code: int = 1000, reason: str = "") -> None:
        pass


async def long_answer(client: FakeClient, arguments: Any, progress: Any) -> CallResult:
    return result("x" * ANSWER_BYTES)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        pytest.param("tools/call", {"name": "kapturemcp_status", "arguments": {}}, id="answered without the SDK"),
        pytest.param("resources/read", {"uri": "kapture://tabs"}, id="answered by the SDK"),
    ],
)
async def test_no_more_is_read_from_a_client_that_does_not_read(
    hub: FakeHub, method: str, params: dict[str, Any]
) -> None:
    hub.behaviours["status"] = hub.behaviours["list_tabs"] = long_answer
    socket = StuckSocket()
    socket.send("initialize", id=0, params=INITIALIZE)
    socket.send("notifications/initialized")
    for number in range(1, 201):
        socket.send(method, id=number, params=params)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_websocket, hub, socket, Options())  # type: ignore[arg-type]
        await hub.until(lambda: hub.clients)
        with trio.fail_after(60):
            while len(hub.calls) <= LIMIT_BYTES // ANSWER_BYTES:
                await wait_all_tasks_blocked(0.01)
        await wait_all_tasks_blocked(0.1)
        assert len(hub.calls) <= 2 * LIMIT_BYTES // ANSWER_BYTES
        socket.reads.set()
        with trio.fail_after(60):
            while len(socket.received) < 201:
                await wait_all_tasks_blocked(0.01)
        nursery.cancel_scope.cancel()
    assert sorted(answer["id"] for answer in socket.received) == list(range(201))


async def test_a_call_that_is_cancelled_leaves_no_message_half_written(hub: FakeHub) -> None:
    async def report(client: FakeClient, arguments: Any, progress: Any) -> CallResult:
        await progress(1, 2, "half of it")
        await trio.sleep_forever()
        raise AssertionError

    hub.behaviours["status"] = report
    socket = StuckSocket()
    socket.send("initialize", id=0, params=INITIALIZE)
    socket.send("notifications/initialized")
    call = {"name": "kapturemcp_status", "arguments": {}, "_meta": {"progressToken": 7}}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_websocket, hub, socket, Options())  # type: ignore[arg-type]
        socket.send("tools/call", id=1, params=call)
        await wait_all_tasks_blocked()
        socket.send("notifications/cancelled", params={"requestId": 1})
        socket.send("ping", id=2)
        await wait_all_tasks_blocked()
        socket.reads.set()
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert socket.begun == len(socket.received)
    assert [message.get("id", message.get("method")) for message in socket.received] == [0, "notifications/progress", 2]


async def test_half_a_character_in_a_call_is_a_replacement_character(hub: FakeHub) -> None:
    socket = StuckSocket()
    socket.reads.set()
    socket.send("initialize", id=0, params=INITIALIZE)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_websocket, hub, socket, Options())  # type: ignore[arg-type]
        socket.send("tools/call", id=1, params={"name": "kapturemcp_status", "arguments": {"cut": "a\ud83d"}})
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert [message["id"] for message in socket.received] == [0, 1]
    assert [arguments for _client, _name, arguments in hub.calls] == [{"cut": "a\ufffd"}]
