"""A hub's port with everything on it, served to one test."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import trio
from starlette.requests import Request
from starlette.responses import JSONResponse
from trio_websocket import (
    ConnectionClosed,
    WebSocketConnection,
    WebSocketRequest,
    open_websocket_url,
)

from kapture.hub import Hub
from kapture.pairing import KeyFile, Pairing, key_file
from kapture.pairing.ticket import PERSON, make_ticket
from kapture.policy import Policy
from kapture.policy.audit import AuditLog
from kapture.server.listener import Listener, open_port, port_of
from kapture.server.server import make_listener, route_table
from kapture.settings import Limits, Settings
from tests.unit.hub.simulated import test_commands


@attrs.frozen
class Served:
    hub: Hub
    listener: Listener
    pairing: Pairing
    port: int
    seen: list[str]

    @property
    def secrets(self) -> KeyFile:
        return key_file.read(self.pairing.home)

    @property
    def token(self) -> str:
        return self.secrets.clientToken

    def bearer(self) -> list[tuple[bytes, bytes]]:
        return [(b"Authorization", f"Bearer {self.token}".encode())]

    @asynccontextmanager
    async def open_as_person(self, path: str) -> AsyncIterator[WebSocketConnection]:
        """As programs of the person's own connect, which hold the key."""
        async with self.open(path) as socket:
            ticket = make_ticket(self.secrets.key, PERSON)
            await socket.send_message(json.dumps({"type": "authenticate", "ticket": ticket}))
            assert json.loads(await socket.get_message()) == {"type": "authenticated"}
            yield socket

    def open(self, path: str = "/", headers: Sequence[tuple[bytes, bytes]] = ()) -> Any:
        return open_websocket_url(
            f"ws://127.0.0.1:{self.port}{path}", extra_headers=list(headers), max_message_size=64 * 2**20
        )

    async def raw(self, *chunks: bytes, pause: float = 0) -> bytes:
        """Send these bytes on one connection; all that comes back."""
        received = b""
        with trio.fail_after(20):
            async with await trio.open_tcp_stream("127.0.0.1", self.port) as stream:
                try:
                    for chunk in chunks:
                        await stream.send_all(chunk)
                        await trio.sleep(pause)
                    while data := await stream.receive_some(65_536):
                        received += data
                except trio.BrokenResourceError:
                    pass
        return received

    async def get(self, path: str, *headers: str, host: str | None = None) -> bytes:
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}", "Connection: close", *headers]
        return await self.raw("\r\n".join([*lines, "", ""]).encode())


@asynccontextmanager
async def served(
    home: Path, *, limits: Limits | None = None, audit: AuditLog | None = None, **more: Any
) -> AsyncIterator[Served]:
    listeners = await open_port(0)
    settings = Settings(home=home, port=port_of(listeners), limits=limits or Limits(), **more)
    pairing = Pairing(home)
    seen: list[str] = []

    async def on_mcp(request: WebSocketRequest, _: Any) -> None:
        socket = await request.accept()
        seen.append(request.path)
        try:
            while True:
                await socket.send_message(f"mcp: {await socket.get_message()!r}")
        except ConnectionClosed:
            return

    async def http(scope: Any, receive: Any, send: Any) -> None:
        await Request(scope, receive).body()
        await JSONResponse({"mcp": scope["method"]})(scope, receive, send)

    with test_commands():
        async with (
            Hub.open(settings, pairing=pairing, policy=Policy(home=home), audit=audit) as hub,
            trio.open_nursery() as nursery,
        ):
            mcp: Any = SimpleNamespace(serve_websocket=on_mcp, serve_http=http)
            listener = make_listener(hub, route_table(hub, mcp), port=hub.state.settings.port)
            nursery.start_soon(listener.serve, listeners)
            pairing.write_key_file(settings.port)
            yield Served(hub, listener, pairing, settings.port, seen)
            nursery.cancel_scope.cancel()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


async def register(socket: WebSocketConnection, tab_id: str = "tab1") -> dict[str, Any]:
    await socket.send_message(json.dumps({"type": "register", "tabId": tab_id}))
    answer: dict[str, Any] = json.loads(await socket.get_message())
    return answer


async def drained(socket: WebSocketConnection) -> None:
    """Return when the hub has closed this socket."""
    with trio.fail_after(30):
        try:
            while True:
                await socket.get_message()
        except ConnectionClosed:
            return
