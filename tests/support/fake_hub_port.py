"""The MCP endpoint of a fake hub on a real port, with a real key file, without the listener's checks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import attrs
import trio
from trio_websocket import ConnectionClosed, wrap_server_stream

from kapture.client.connection import MAX_MESSAGE_BYTES
from kapture.mcp.endpoint import Known, McpEndpoint, mcp_endpoint
from kapture.pairing import Pairing
from kapture.pairing.access import Door
from kapture.server.authentication import AuthenticatingRequest
from kapture.settings import Limits
from kapture.streams import TcpStream
from tests.support.fake_hub import FakeHub


@attrs.define
class Port:
    number: int
    pairing: Pairing
    connections: int = 0


@asynccontextmanager
async def listening(
    hub: FakeHub, home: Path, *, prove: bool = True, on_authenticated: Callable[[], None] = lambda: None
) -> AsyncIterator[Port]:
    pairing = Pairing(home)
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = Port(listeners[0].socket.getsockname()[1], pairing)
        pairing.write_key_file(port.number)
        async with mcp_endpoint(hub, port=port.number, prove=pairing.client_proof if prove else None) as endpoint:  # type: ignore[arg-type]

            async def serve(stream: trio.SocketStream) -> None:
                port.connections += 1
                await serve_one(stream, endpoint, pairing, on_authenticated)

            nursery.start_soon(trio.serve_listeners, serve, listeners)
            yield port
            nursery.cancel_scope.cancel()


async def serve_one(
    stream: trio.SocketStream,
    endpoint: McpEndpoint,
    pairing: Pairing,
    on_authenticated: Callable[[], None] = lambda: None,
) -> None:
    async with stream, trio.open_nursery() as nursery:
        request = await wrap_server_stream(nursery, TcpStream(stream), 0, MAX_MESSAGE_BYTES)
        with suppress(ConnectionClosed):  # the client may turn away instead of authenticating
            proving = AuthenticatingRequest(request, pairing, Limits(), Door.MCP, on_authenticated=on_authenticated)
            await endpoint.serve_websocket(proving, lambda: Known(session=proving.session))
        nursery.cancel_scope.cancel()


class Stdio:
    """A client's two pipes."""

    def __init__(self) -> None:
        self._to_bridge, self._read = trio.open_memory_channel[bytes](1_000)
        self._write, self._from_bridge = trio.open_memory_channel[bytes](1_000)
        self._rest = b""

    async def read_some(self) -> bytes:
        try:
            return await self._read.receive()
        except trio.EndOfChannel:
            return b""

    async def write_all(self, data: bytes) -> None:
        await self._write.send(data)

    async def wait_unread(self) -> None:
        await trio.sleep_forever()

    async def say(self, data: bytes) -> None:
        await self._to_bridge.send(data)

    def close(self) -> None:
        self._to_bridge.close()

    async def hear(self) -> bytes:
        with trio.fail_after(30):
            while b"\n" not in self._rest:
                self._rest += await self._from_bridge.receive()
        line, self._rest = self._rest.split(b"\n", 1)
        return line

    async def hear_json(self) -> Any:
        import json

        return json.loads(await self.hear())
