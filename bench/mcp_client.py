"""A minimal MCP client, so that nearly all of the measured time is the server's."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

import msgspec
import trio

from bench.websocket import WebSocket, open_websocket

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
_READ_BYTES = 1024 * 1024
_MAX_BYTES = 256 * 1024 * 1024


class Pipe(Protocol):
    """Sends and receives whole messages."""

    async def send(self, message: bytes) -> None:
        """Send one message."""

    async def receive(self) -> bytes:
        """Wait for the next message."""


class Lines:
    """A server's stdin and stdout. What is no message, such as a log on stdout, is left out."""

    def __init__(self, process: trio.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout
        self._buffer = bytearray()

    async def send(self, message: bytes) -> None:
        """Send one message."""
        await self._stdin.send_all(message + b"\n")

    async def receive(self) -> bytes:
        """The next message."""
        while not (line := await self._line()).startswith(b"{"):
            continue
        return line

    async def _line(self) -> bytes:
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > _MAX_BYTES:
                raise trio.BrokenResourceError(f"The server sent a line of more than {_MAX_BYTES:,} bytes.")
            data = await self._stdout.receive_some(_READ_BYTES)
            if not data:
                raise trio.ClosedResourceError("The server has ended.")
            self._buffer += data
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line


class _Message(msgspec.Struct):
    """An answer, or what the server says or asks by itself: then it has a method."""

    id: int | str | None = None
    method: str | None = None
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: msgspec.Raw | None = None


_MESSAGE = msgspec.json.Decoder(_Message)


class McpClient:
    """Makes calls, any number at once."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._ids = itertools.count(1)
        self._sending = trio.Lock()
        self._waiting: dict[int, tuple[trio.Event, list[_Message]]] = {}

    async def read(self) -> None:
        """Pass answers to their calls, until cancelled."""
        while True:
            message = _MESSAGE.decode(await self._pipe.receive())
            if message.method is not None:
                if message.id is not None:
                    await self._refuse(message)
            elif isinstance(message.id, int) and message.id in self._waiting:
                event, into = self._waiting.pop(message.id)
                into.append(message)
                event.set()

    async def _refuse(self, asked: _Message) -> None:
        """Answer a request of the server: only `ping` is answered with a result."""
        answer = {"result": {}} if asked.method == "ping" else {"error": {"code": -32601, "message": "Not offered."}}
        async with self._sending:
            await self._pipe.send(msgspec.json.encode({"jsonrpc": "2.0", "id": asked.id, **answer}))

    async def initialize(self) -> None:
        """The handshake."""
        await self.request("initialize", INITIALIZE)
        await self._pipe.send(msgspec.json.encode({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    async def request(self, method: str, params: Mapping[str, Any]) -> msgspec.Raw:
        """Send one request; returns its result, not decoded."""
        number = next(self._ids)
        event, into = self._waiting[number] = (trio.Event(), list[_Message]())
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        async with self._sending:
            await self._pipe.send(msgspec.json.encode(message))
        await event.wait()
        if into[0].error is not None:
            raise RuntimeError(f"{method}: {bytes(into[0].error).decode(errors='replace')}")
        return into[0].result

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        """Call a tool, which must succeed; returns its whole result as JSON."""
        result = bytes(await self.request("tools/call", {"name": f"kapturemcp_{tool}", "arguments": arguments}))
        if b'"isError":true' in result:
            raise RuntimeError(f"{tool}: {result.decode()[:500]}")
        return result


@asynccontextmanager
async def over_stdio(
    command: Sequence[str], environment: Mapping[str, str], cwd: str | None = None
) -> AsyncIterator[McpClient]:
    """A client of a server that is started for it."""
    async with trio.open_nursery() as nursery:
        start = trio.lowlevel.open_process
        process = await start(list(command), env=dict(environment), cwd=cwd, stdin=-1, stdout=-1)
        try:
            client = McpClient(Lines(process))
            nursery.start_soon(client.read)
            await client.initialize()
            yield client
        finally:
            nursery.cancel_scope.cancel()
            process.kill()


@asynccontextmanager
async def over_websocket(port: int, token: str) -> AsyncIterator[McpClient]:
    """A client of the hub itself, without a bridge."""
    headers = {"Authorization": f"Bearer {token}"}
    async with open_websocket(port, "/mcp", headers) as socket, trio.open_nursery() as nursery:
        pipe: WebSocket = socket
        client = McpClient(pipe)
        nursery.start_soon(client.read)
        await client.initialize()
        yield client
        nursery.cancel_scope.cancel()
