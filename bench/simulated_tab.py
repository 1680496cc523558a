"""Tabs that execute commands themselves and do next to nothing, so that the measured time is the hub's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import msgspec
import trio

from bench.websocket import WebSocket, open_websocket

EVERYTHING = {"sites": ["*"], "level": "full"}


class _Message(msgspec.Struct):
    type: str
    id: str = ""
    ts: float = 0
    params: dict[str, Any] = {}


_MESSAGE = msgspec.json.Decoder(_Message)


@attrs.define(eq=False)
class SimulatedTab:
    """One tab. It answers with the selector of the command and its own id, so that a wrong answer is noticed.

    `pings` are the times of the hub's heartbeats, in seconds of the monotonic clock.
    """

    tab_id: str
    socket: WebSocket
    pings: list[float] = attrs.field(factory=list)
    executed: int = 0
    lost: bool = False

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Register, and answer until the hub closes the socket; raises if it closes before registration."""
        registered = False
        try:
            await self._send({"type": "register", "tabId": self.tab_id, "grant": EVERYTHING})
            while True:
                message = _MESSAGE.decode(await self.socket.receive())
                match message.type:
                    case "command":
                        self.executed += 1
                        result = {"clicked": message.params.get("selector"), "by": self.tab_id}
                        await self._send({"type": "response", "id": message.id, "success": True, "result": result})
                    case "ping":
                        self.pings.append(trio.current_time())
                        await self._send({"type": "pong", "ts": message.ts})
                    case "registered" if not registered:
                        registered = True
                        task_status.started()
                    case "refused":
                        raise trio.ClosedResourceError(f"The hub refused tab {self.tab_id}.")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            if not registered:
                raise
            self.lost = True

    async def _send(self, message: dict[str, Any]) -> None:
        await self.socket.send(msgspec.json.encode(message))


@asynccontextmanager
async def simulated_tab(
    port: int, token: str, tab_id: str, *, host_port: int | None = None
) -> AsyncIterator[SimulatedTab]:
    """A registered tab, for the duration of the block. `host_port` is the hub's own, if `port` forwards to it."""
    async with (
        open_websocket(port, "/", {"Authorization": f"Bearer {token}"}, host_port=host_port) as socket,
        trio.open_nursery() as nursery,
    ):
        tab = SimulatedTab(tab_id, socket)
        await nursery.start(tab.run)
        yield tab
        nursery.cancel_scope.cancel()
