"""CDP over the browser's own socket, decoding only message ids, so that the measured time is the browser's."""

from __future__ import annotations

import itertools
import json
import urllib.request
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import msgspec
import trio

from bench.websocket import WebSocket, open_websocket


class _Head(msgspec.Struct):
    id: int = 0
    method: str = ""


_LIST_S = 30
_HEAD = msgspec.json.Decoder(_Head)
Event = Callable[[bytes], None]


class Target:
    """One target of the browser: a tab, or the extension's worker. `session_id` if the socket carries several."""

    def __init__(self, socket: WebSocket) -> None:
        self.session_id: str | None = None
        self._socket = socket
        self._ids = itertools.count(1)
        self._waiting: dict[int, tuple[trio.Event, list[bytes]]] = {}
        self._on: dict[str, Event] = {}

    async def read(self) -> None:
        """Process messages until cancelled."""
        while True:
            message = await self._socket.receive()
            head = _HEAD.decode(message)
            if head.id in self._waiting:
                event, into = self._waiting.pop(head.id)
                into.append(message)
                event.set()
            elif head.method in self._on:
                self._on[head.method](message)

    async def pipeline(self, commands: Sequence[tuple[str, Mapping[str, Any]]]) -> list[bytes]:
        """Send all, then wait for all; returns the whole messages."""
        waited = []
        for method, params in commands:
            number = next(self._ids)
            self._waiting[number] = (trio.Event(), [])
            waited.append(self._waiting[number])
            message: dict[str, Any] = {"id": number, "method": method, "params": params}
            if self.session_id is not None:
                message["sessionId"] = self.session_id
            await self._socket.send(msgspec.json.encode(message))
        for event, _ in waited:
            await event.wait()
        return [into[0] for _, into in waited]

    async def send(self, method: str, **params: Any) -> bytes:
        """Send one command; returns its whole answer."""
        return (await self.pipeline([(method, params)]))[0]

    async def evaluate(self, expression: str, *, wait: bool = False) -> Any:
        """The decoded value of an expression; not for measured operations."""
        answer = await self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=wait)
        result = json.loads(answer)["result"]
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    @contextmanager
    def listening(self, method: str, event: Event) -> Any:
        """Call `event` for each event with this name, during the block."""
        self._on[method] = event
        try:
            yield
        finally:
            del self._on[method]


async def targets(port: int) -> list[dict[str, Any]]:
    """The targets that the browser with this debugging port lists."""

    def read() -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=_LIST_S) as answer:
            return json.load(answer)

    found: list[dict[str, Any]] = await trio.to_thread.run_sync(read)
    return found


@asynccontextmanager
async def attached(port: int, target_id: str, *, kind: str = "page") -> AsyncIterator[Target]:
    """Attach to this target, besides other clients."""
    async with connected_to(port, f"/devtools/{kind}/{target_id}") as target:
        yield target


@asynccontextmanager
async def connected_to(port: int, path: str, headers: Mapping[str, str] = {}) -> AsyncIterator[Target]:
    """Connect to a CDP endpoint at this path."""
    async with open_websocket(port, path, headers) as socket, trio.open_nursery() as nursery:
        target = Target(socket)
        nursery.start_soon(target.read)
        yield target
        nursery.cancel_scope.cancel()
