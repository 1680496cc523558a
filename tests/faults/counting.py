"""A client that keeps every answer that comes, so that one too many shows."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio

from bench.websocket import WebSocket, open_websocket
from kapture.changed import Changed

_INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "faults", "version": "1"}}


@attrs.define(eq=False)
class CountingClient:
    """`answers` are all answers by the number of the call; `lost` when the connection has ended or brought garbage."""

    socket: WebSocket
    answers: dict[int, list[dict[str, Any]]] = attrs.field(factory=lambda: defaultdict(list))
    lost: bool = False
    _ids: itertools.count[int] = attrs.field(factory=lambda: itertools.count(1))
    _changed: Changed = attrs.field(factory=Changed)
    _sending: trio.Lock = attrs.field(factory=trio.Lock)

    async def read(self) -> None:
        """Keep what comes until the connection ends."""
        try:
            while True:
                message = json.loads(await self.socket.receive())
                if "method" not in message:
                    self.answers[message["id"]].append(message)
                    self._changed.notify()
        except (OSError, ValueError, KeyError, TypeError, trio.BrokenResourceError, trio.ClosedResourceError):
            self.lost = True
            self._changed.notify()

    async def send(self, method: str, params: Mapping[str, Any], **fields: Any) -> None:
        """Send a request or a notification; the connection may be lost by it."""
        try:
            message = {"jsonrpc": "2.0", "method": method, "params": params, **fields}
            async with self._sending:
                await self.socket.send(json.dumps(message).encode())
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            self.lost = True

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer; None when the connection was lost before it came."""
        number = next(self._ids)
        await self.send(method, params, id=number)
        while not self.answers.get(number):
            if self.lost:
                return None
            await self._changed.wait()
        return self.answers[number][0]

    async def click(self, tab_id: str, selector: str, timeout_ms: int = 1_000) -> dict[str, Any] | None:
        """The result of a command, `isError` for a refusal of MCP; None when the connection was lost before it came."""
        arguments = {"tabId": tab_id, "selector": selector, "timeout": timeout_ms}
        answer = await self.request("tools/call", {"name": "kapturemcp_click", "arguments": arguments})
        if answer is None:
            return None
        refusal = {"isError": True, "content": [{"text": json.dumps(answer.get("error"))}]}
        result: dict[str, Any] = answer.get("result", refusal)
        return result

    def answered_twice(self) -> list[int]:
        """The calls that got more than one answer."""
        return [number for number, answers in self.answers.items() if len(answers) > 1]


@asynccontextmanager
async def counting_client(port: int, token: str, host_port: int | None = None) -> AsyncIterator[CountingClient]:
    """A client, for the length of the block; `host_port` is the hub's own where `port` is that of a proxy."""
    headers = {"Authorization": f"Bearer {token}"}
    async with open_websocket(port, "/mcp", headers, host_port=host_port) as socket, trio.open_nursery() as nursery:
        client = CountingClient(socket)
        nursery.start_soon(client.read)
        await client.request("initialize", _INITIALIZE)
        await client.send("notifications/initialized", {})
        yield client
        nursery.cancel_scope.cancel()
