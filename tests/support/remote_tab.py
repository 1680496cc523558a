"""A tab that executes commands itself, over the hub's real socket: for tests of what lies between client and tab."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection

from tests.support.proven_extension import proven_extension
from tests.support.stack import HubProcess


@attrs.define(eq=False)
class RemoteTab:
    """`answers` gives a command's result; None leaves it unanswered. What came is in `commands` and `cancelled`."""

    tab_id: str
    socket: WebSocketConnection
    answers: Callable[[str, dict[str, Any]], Any]
    commands: list[tuple[str, dict[str, Any]]] = attrs.field(factory=list)
    ids: list[str] = attrs.field(factory=list)
    cancelled: list[str] = attrs.field(factory=list)
    _moved: trio.Event = attrs.field(factory=trio.Event)

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until this holds; it is looked at after each message from the hub."""
        with trio.fail_after(60):
            while not holds():
                await self._moved.wait()

    async def send(self, **message: Any) -> None:
        """Say something to the hub."""
        await self.socket.send_message(json.dumps(message))

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Answer until the hub closes the socket."""
        try:
            while True:
                message = json.loads(await self.socket.get_message())
                match message["type"]:
                    case "registered":
                        task_status.started()
                    case "ping":
                        await self.send(type="pong", ts=message["ts"])
                    case "cancel":
                        self.cancelled.append(message["id"])
                    case "command":
                        self.commands.append((message["command"], message["params"]))
                        self.ids.append(message["id"])
                        result = self.answers(message["command"], message["params"])
                        if result is not None:
                            await self.send(type="response", id=message["id"], success=True, result=result)
                self._moved.set()
                self._moved = trio.Event()
        except ConnectionClosed:
            return


@asynccontextmanager
async def remote_tab(
    hub: HubProcess, tab_id: str, answers: Callable[[str, dict[str, Any]], Any] | None = None, **facts: Any
) -> AsyncIterator[RemoteTab]:
    """A registered tab that has proved that it holds the key, for the length of the block. `facts` are further fields
    of its `register`."""
    async with proven_extension(hub.home) as socket, trio.open_nursery() as nursery:
        tab = RemoteTab(tab_id, socket, answers or (lambda command, params: {"command": command, "params": params}))
        await tab.send(type="register", tabId=tab_id, **facts)
        await nursery.start(tab.run)
        yield tab
        nursery.cancel_scope.cancel()
