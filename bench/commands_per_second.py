"""The hub's CPU time per command, with a tab that does no work itself."""

from __future__ import annotations

import msgspec
import trio

from kapture.measure.hub_process import HubProcess
from kapture.measure.mcp_client import over_websocket
from kapture.measure.websocket import WebSocket, open_websocket

_TAB = "benchtab"


class _Command(msgspec.Struct):
    type: str
    id: str = ""


_COMMAND = msgspec.json.Decoder(_Command)


async def cpu_ms(hub: HubProcess, count: int) -> float:
    """The hub's CPU time per command in milliseconds, over `count` commands to a self-executing tab."""
    headers = {"Authorization": f"Bearer {hub.token}"}
    async with open_websocket(hub.port, "/", headers) as socket, trio.open_nursery() as nursery:
        await socket.send(
            msgspec.json.encode({"type": "register", "tabId": _TAB, "grant": {"sites": ["*"], "level": "full"}})
        )
        await nursery.start(_answer, socket)
        async with over_websocket(hub.port, hub.token) as client:
            arguments = {"tabId": _TAB, "selector": "#a"}
            for _ in range(50):
                await client.call("click", arguments)
            before = hub.cpu_s() or 0.0
            for _ in range(count):
                await client.call("click", arguments)
            spent = (hub.cpu_s() or 0.0) - before
        nursery.cancel_scope.cancel()
    return spent * 1000 / count


async def _answer(socket: WebSocket, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
    while True:
        message = _COMMAND.decode(await socket.receive())
        if message.type == "registered":
            task_status.started()
        elif message.type == "command":
            answer = {"type": "response", "id": message.id, "success": True, "result": {"clicked": True}}
            await socket.send(msgspec.json.encode(answer))
