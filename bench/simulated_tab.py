"""Tabs that execute commands themselves and do next to nothing, so that the measured time is the hub's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs
import msgspec
import trio

from bench.websocket import WebSocket, open_websocket
from kapture.pairing.proof import TabProof, decode

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
    key: str = ""
    """With the hub's key it is a tab of a person, who has given it to the hub's group too."""

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Register, and answer until the hub closes the socket; raises if it closes before registration."""
        registered = False
        try:
            if self.key:
                await self._prove()
            group = {"group": True} if self.key else {}
            await self._send({"type": "register", "tabId": self.tab_id, "grant": EVERYTHING, **group})
            while True:
                message = _MESSAGE.decode(await self.socket.receive())
                match message.type:
                    case "command":
                        result = {"clicked": await self.execute(message.params), "by": self.tab_id}
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

    async def _prove(self) -> None:
        key = decode(self.key)
        assert key is not None
        challenge = msgspec.json.decode(await self.socket.receive())
        nonce, mac = TabProof(key).answer(challenge["nonce"])
        await self._send({"type": "proof", "nonce": nonce, "mac": mac})

    async def execute(self, params: dict[str, Any]) -> Any:
        """Run a command; returns its selector."""
        self.executed += 1
        return params.get("selector")

    async def _send(self, message: dict[str, Any]) -> None:
        await self.socket.send(msgspec.json.encode(message))


@asynccontextmanager
async def simulated_tab(
    port: int,
    token: str,
    tab_id: str,
    *,
    host_port: int | None = None,
    key: str = "",
    make: Callable[..., SimulatedTab] = SimulatedTab,
) -> AsyncIterator[SimulatedTab]:
    """A registered tab, for the duration of the block. `host_port` is the hub's own, if `port` forwards to it."""
    headers = {} if key else {"Authorization": f"Bearer {token}"}
    async with (
        open_websocket(port, "/", headers, host_port=host_port) as socket,
        trio.open_nursery() as nursery,
    ):
        tab = make(tab_id, socket, key=key)
        await nursery.start(tab.run)
        yield tab
        nursery.cancel_scope.cancel()
