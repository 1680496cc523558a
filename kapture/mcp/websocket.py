"""MCP over a WebSocket: one JSON-RPC message a text frame, in both directions."""

from __future__ import annotations

import logging

import anyio
import mcp_types as types
import trio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from trio_websocket import ConnectionClosed, WebSocketConnection

from kapture.hub import Hub
from kapture.hub.client import ClientKind
from kapture.mcp.options import Options
from kapture.mcp.session import open_session

logger = logging.getLogger(__name__)

SUBPROTOCOL = "mcp"
_MAX_BAD_MESSAGES = 20

Incoming = SessionMessage | Exception


async def serve_websocket(
    hub: Hub, socket: WebSocketConnection, options: Options, kind: ClientKind = "websocket"
) -> None:
    """Serve one client on an accepted socket until either end closes it."""
    async with open_session(hub, options, kind) as session, trio.open_nursery() as nursery:
        to_server, from_client = anyio.create_memory_object_stream[Incoming](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        nursery.start_soon(_receive, socket, to_server)
        nursery.start_soon(_send, socket, from_server)
        await session.server.run(from_client, to_client, session.server.create_initialization_options())
        nursery.cancel_scope.cancel()
    await socket.aclose()


async def _receive(socket: WebSocketConnection, to_server: MemoryObjectSendStream[Incoming]) -> None:
    """Frames from the client to the server, until the socket closes."""
    bad = 0
    async with to_server:
        while True:
            try:
                frame = await socket.get_message()
            except ConnectionClosed:
                return
            try:
                if isinstance(frame, bytes):
                    raise TypeError("MCP messages are text frames; this one is binary.")
                message = types.jsonrpc_message_adapter.validate_json(frame, by_name=False)
            except (ValidationError, TypeError, ValueError) as error:
                bad += 1
                if bad > _MAX_BAD_MESSAGES:
                    await socket.aclose(1008, "too many messages that are not JSON-RPC")
                    return
                await _refuse(socket, frame, error)
                continue
            try:
                await to_server.send(SessionMessage(message))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return


async def _refuse(socket: WebSocketConnection, frame: str | bytes, error: Exception) -> None:
    """Answer what is no JSON-RPC message as JSON-RPC wants it answered."""
    syntax = isinstance(error, ValidationError) and error.errors()[0]["type"] == "json_invalid"
    if isinstance(error, ValidationError):
        what = "This is not JSON." if syntax else "This is JSON, but not a JSON-RPC 2.0 message."
    else:
        what = str(error)
    code = types.PARSE_ERROR if syntax or isinstance(frame, bytes) else types.INVALID_REQUEST
    answer = types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=code, message=what))
    await _write(socket, answer)


async def _send(socket: WebSocketConnection, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
    """Messages from the server to the client."""
    async with from_server:
        async for item in from_server:
            if not await _write(socket, item.message):
                return


async def _write(socket: WebSocketConnection, message: types.JSONRPCMessage) -> bool:
    try:
        await socket.send_message(message.model_dump_json(by_alias=True, exclude_unset=True))
    except ConnectionClosed:
        return False
    return True
