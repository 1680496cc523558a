"""The SDK's server on a WebSocket, for all messages that are not answered without it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

import anyio
import mcp_types as types
import msgspec
import trio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from msgspec import UNSET
from pydantic import ValidationError
from pydantic_core import from_json

from kapture.mcp.session import serve_state
from kapture.mcp.session_state import SessionState
from kapture.mcp.session_without_sdk import Send

_MAX_BAD_MESSAGES = 20

Incoming: TypeAlias = SessionMessage | Exception
Close: TypeAlias = Callable[[int, str], Awaitable[None]]
"""Closes the client's socket with a code and a reason."""


class _Sent(msgspec.Struct):
    """What tells a request from other messages, of any message that is an object."""

    id: Any = UNSET
    method: Any = UNSET

    @classmethod
    def of(cls, frame: str | bytes) -> _Sent:
        try:
            return _SENT.decode(frame)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            return cls()

    @property
    def request_id(self) -> int | str | None:
        """The id that an answer to this message has."""
        valid = isinstance(self.id, int | str) and not isinstance(self.id, bool)
        return self.id if valid and self.method is not UNSET else None


_SENT = msgspec.json.Decoder(_Sent)


class SdkServer:
    """Passes messages of one client to the SDK."""

    def __init__(self, send: Send, close: Close, to_server: MemoryObjectSendStream[Incoming]) -> None:
        self._send = send
        self._close = close
        self._to_server = to_server
        self._bad = 0

    async def receive(self, frame: str | bytes) -> None:
        """Pass a frame on; an invalid message is refused. Many of those close the socket."""
        try:
            message = message_of(frame)
        except NoMessageError as error:
            self._bad += 1
            if self._bad > _MAX_BAD_MESSAGES:
                await self._close(1008, "too many messages that are not JSON-RPC")
            else:
                await _refuse(self._send, frame, error)
            return
        await self._to_server.send(SessionMessage(message))


class NoMessageError(Exception):
    """What is wrong with a frame, and JSON-RPC's code for it."""

    def __init__(self, code: int, what: str) -> None:
        super().__init__(what)
        self.code = code


def message_of(frame: str | bytes) -> types.JSONRPCMessage:
    """The message in a frame; `NoMessageError` if there is none."""
    if isinstance(frame, bytes):
        raise NoMessageError(types.PARSE_ERROR, "MCP messages are text frames; this one is binary.")
    try:
        # By itself: pydantic's errors about JSON text hold all of it once more for each kind of message it is not.
        sent = from_json(frame)
    except ValueError:
        raise NoMessageError(types.PARSE_ERROR, "This is not JSON.") from None
    if isinstance(sent, list):
        raise NoMessageError(types.INVALID_REQUEST, "Batches are not supported: send each message by itself.")
    try:
        message = types.jsonrpc_message_adapter.validate_python(sent, by_name=False)
    except ValidationError:
        raise NoMessageError(types.INVALID_REQUEST, "This is JSON, but not a JSON-RPC 2.0 message.") from None
    if isinstance(message, types.JSONRPCNotification) and "id" in sent:
        raise NoMessageError(types.INVALID_REQUEST, "The id of a request must be a string or an integer.")
    return message


async def serve_sdk(
    state: SessionState,
    send: Send,
    close: Close,
    handshake: Sequence[str],
    *,
    task_status: trio.TaskStatus[SdkServer] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the messages passed to `SdkServer.receive`, until cancelled. `send` sends the client a message.

    `handshake` holds the client's messages of a handshake that was answered elsewhere; then the client is also notified
    elsewhere. If it is empty, both are done here.
    """
    async with serve_state(state) as session, trio.open_nursery() as nursery:
        to_server, from_client = anyio.create_memory_object_stream[Incoming](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        options = session.server.create_initialization_options()
        nursery.start_soon(session.server.run, from_client, to_client, options)
        server = SdkServer(send, close, to_server)
        if handshake:
            await server.receive(handshake[0])
            await from_server.receive()  # the answer to it
            for frame in handshake[1:]:
                await server.receive(frame)
        else:
            nursery.start_soon(state.notifier.run, session.notifications)
        nursery.start_soon(_send_all, send, from_server)
        task_status.started(server)


async def _refuse(send: Send, frame: str | bytes, error: NoMessageError) -> None:
    """Answer an invalid message as JSON-RPC requires: with its id, where it is a request that has one."""
    data = types.ErrorData(code=error.code, message=str(error))
    await _write(send, types.JSONRPCError(jsonrpc="2.0", id=_Sent.of(frame).request_id, error=data))


async def _send_all(send: Send, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
    """Send the server's messages to the client."""
    async for item in from_server:
        await _write(send, item.message)


async def _write(send: Send, message: types.JSONRPCMessage) -> None:
    await send(message.model_dump_json(by_alias=True, exclude_unset=True))
