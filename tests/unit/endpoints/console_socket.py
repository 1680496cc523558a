"""A Console's socket, which a test reads and writes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import trio
from trio_websocket import ConnectionClosed, WebSocketRequest

from kapture.endpoints.console import ConsoleEndpoint
from tests.unit.hub.simulated import World


class Socket:
    """Both ends of a Console's socket."""

    def __init__(self, reads: bool) -> None:
        self.reads = trio.Event()
        """Set while the page reads what it is sent."""
        if reads:
            self.reads.set()
        self._to_hub, self._hub_reads = trio.open_memory_channel[str](100)
        self._to_page, self._page_reads = trio.open_memory_channel[str | bytes](1_000)
        self.closed: tuple[int, str] | None = None

    # The hub's end

    async def accept(self) -> Socket:
        return self

    async def get_message(self) -> str:
        try:
            return await self._hub_reads.receive()
        except trio.EndOfChannel:
            raise ConnectionClosed(None) from None

    async def send_message(self, message: str | bytes) -> None:
        await self.reads.wait()
        await self._to_page.send(message)

    async def aclose(self, code: int, reason: str) -> None:
        self.closed = (code, reason)

    # The page's end

    async def send(self, **message: Any) -> None:
        await self.send_frame(json.dumps(message))

    async def send_frame(self, frame: str) -> None:
        await self._to_hub.send(frame)

    async def close(self) -> None:
        await self._to_hub.aclose()

    async def receive(self, kind: str) -> dict[str, Any]:
        with trio.fail_after(60):
            while True:
                frame = await self._page_reads.receive()
                message: dict[str, Any] = json.loads(frame.split(b"\n")[0] if isinstance(frame, bytes) else frame)
                if message["type"] == kind:
                    return message


async def checks(status: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return [{"what": "hub", "state": "ok", "detail": f"port {status['hub']['port']}", "fix": ""}]


@asynccontextmanager
async def console(there: World, *, reads: bool = True) -> AsyncIterator[Socket]:
    socket = Socket(reads)
    endpoint = ConsoleEndpoint(there.hub, checks=checks, commands=list)
    there.nursery.start_soon(endpoint.serve, cast("WebSocketRequest", socket))
    yield socket
    await socket.close()
