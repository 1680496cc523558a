"""MCP over a WebSocket: one JSON-RPC message per text frame, in both directions.

A client that begins with `initialize` is served by `session_without_sdk` and, for rare messages, by the SDK as well;
any other client is served by the SDK alone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import trio
from msgspec import UNSET
from trio_websocket import ConnectionClosed, WebSocketConnection

from kapture.hub import Hub
from kapture.hub.client import ClientKind
from kapture.hub.sockets.socket_end import close_socket
from kapture.mcp.first_message import refusal
from kapture.mcp.options import Options
from kapture.mcp.outgoing import Outgoing
from kapture.mcp.session_state import SessionState, session_state
from kapture.mcp.session_without_sdk import Message, SessionWithoutSdk, read_handshake, read_message
from kapture.wire.codec import without_lone_surrogates

if TYPE_CHECKING:
    from kapture.mcp.sdk_server import SdkServer

SUBPROTOCOL = "mcp"
_FLUSH_S = 1.0
"""How long a client that is about to be closed may take to read what waits for it."""


async def serve_websocket(
    hub: Hub, socket: WebSocketConnection, options: Options, kind: ClientKind = "websocket"
) -> None:
    """Serve one client on an accepted socket until either end closes it."""
    with session_state(hub, options, kind) as state:
        try:
            async with trio.open_nursery() as nursery:
                await _Connection(state, socket, nursery).run()
                nursery.cancel_scope.cancel()
        except* ConnectionClosed:
            pass  # the client has disconnected
    await close_socket(socket)


class _Connection:
    """Passes one client's messages to the handshake session or to the SDK."""

    def __init__(self, state: SessionState, socket: WebSocketConnection, nursery: trio.Nursery) -> None:
        self._state = state
        self._socket = socket
        self._nursery = nursery
        self._outgoing = Outgoing()
        self._session: SessionWithoutSdk | None = None
        self._sdk: SdkServer | None = None
        self._handshake: list[str] = []  # the client's frames, to be replayed to the SDK

    async def run(self) -> None:
        """Serve until the client closes its end. Nothing more is read from a client that does not read its answers."""
        self._nursery.start_soon(self._outgoing.write_to, self._socket)
        while True:
            await self._outgoing.room()
            frame = await self._socket.get_message()
            if isinstance(frame, str):
                frame = without_lone_surrogates(frame)  # as of a text that a client has cut within an emoji
            if not await self._answered_here(frame):
                await (await self._sdk_server()).receive(frame)

    async def _answered_here(self, frame: str | bytes) -> bool:
        """Whether the SDK need not see this message, or not yet."""
        alone = self._sdk is not None and self._session is None
        message = None if alone or isinstance(frame, bytes) else read_message(frame)
        if message is None or isinstance(frame, bytes):
            return False
        if self._session is None:
            return await self._begin(message, frame)
        if await self._session.take(message, frame):
            return True
        if message.method == "notifications/initialized" and self._sdk is None:
            self._handshake.append(frame)
            return True
        return False

    async def _begin(self, message: Message, frame: str) -> bool:
        handshake = read_handshake(message)
        if handshake is None or message.id is UNSET:
            error = None if self._sdk else refusal(message)
            if error is None:
                return False
            await self._outgoing.send(json.dumps({"jsonrpc": "2.0", "id": message.id, "error": error}))
            return True
        self._session = SessionWithoutSdk(self._state, handshake, self._outgoing.send, self._nursery)
        self._handshake.append(frame)
        await self._session.answer_handshake(message.id)
        self._nursery.start_soon(self._state.notifier.run, self._session)
        return True

    async def _close(self, code: int, reason: str) -> None:
        with trio.move_on_after(_FLUSH_S):
            await self._outgoing.flushed()
        await close_socket(self._socket, code, reason)

    async def _sdk_server(self) -> SdkServer:
        if self._sdk is None:
            serve_sdk = await trio.to_thread.run_sync(_import_sdk)
            self._sdk = await self._nursery.start(
                serve_sdk, self._state, self._outgoing.send, self._close, self._handshake
            )
        return self._sdk


def _import_sdk() -> Any:
    from kapture.mcp.sdk_server import serve_sdk

    return serve_sdk
