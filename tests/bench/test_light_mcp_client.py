from __future__ import annotations

import json
from typing import Any

import trio

from bench.mcp_client import McpClient


class Pipe:
    """A server that asks something of the client, with the id of the client's own request, before it answers."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self._send, self._receive = trio.open_memory_channel[bytes](10)

    async def send(self, message: bytes) -> None:
        self.sent.append(json.loads(message))
        if self.sent[-1].get("method") == "tools/list":
            number = self.sent[-1]["id"]
            for asked in (
                {"method": "notifications/message", "params": {}},
                {"id": number, "method": "ping"},
                {"id": "r1", "method": "roots/list"},
                {"id": number, "result": {"tools": []}},
            ):
                await self._send.send(json.dumps({"jsonrpc": "2.0", **asked}).encode())

    async def receive(self) -> bytes:
        return await self._receive.receive()


async def test_what_a_server_asks_is_answered_and_never_taken_for_an_answer() -> None:
    pipe = Pipe()
    client = McpClient(pipe)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.read)
        assert json.loads(bytes(await client.request("tools/list", {}))) == {"tools": []}
        nursery.cancel_scope.cancel()
    asked, ping, roots = pipe.sent
    assert ping == {"jsonrpc": "2.0", "id": asked["id"], "result": {}}
    assert (roots["id"], roots["error"]["code"]) == ("r1", -32601)
