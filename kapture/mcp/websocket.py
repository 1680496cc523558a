"""MCP over a WebSocket: one JSON-RPC message per text frame, in both directions, served by the SDK."""

from __future__ import annotations

import logging
import secrets
from contextlib import suppress
from typing import Any, TypeAlias

import anyio
import mcp_types as types
import msgspec
import trio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from msgspec import UNSET
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json
from trio_websocket import ConnectionClosed, WebSocketConnection

from kapture.changed import Changed
from kapture.hub import Hub
from kapture.hub.carried_files import FrameCarrier
from kapture.hub.client import ClientKind
from kapture.hub.sockets import close_socket
from kapture.mcp.options import Options
from kapture.mcp.session import open_session
from kapture.mcp.session_clients import SessionClients
from kapture.wire.codec import without_lone_surrogates

logger = logging.getLogger(__name__)

_MAX_BAD_MESSAGES = 20

_Incoming: TypeAlias = SessionMessage | Exception


class _Sent(msgspec.Struct):
    """The fields that tell a request from other messages."""

    id: Any = UNSET
    method: Any = UNSET

    @property
    def request_id(self) -> int | str | None:
        """The id that an answer to this message has."""
        valid = isinstance(self.id, int | str) and not isinstance(self.id, bool)
        return self.id if valid and self.method is not UNSET else None


_SENT = msgspec.json.Decoder(_Sent)


class NoMessageError(Exception):
    """The defect of a frame, and JSON-RPC's code for it."""

    def __init__(self, code: int, what: str) -> None:
        super().__init__(what)
        self.code = code


def message_of(frame: str | bytes) -> types.JSONRPCMessage:
    """Decode the message in a frame; `NoMessageError` if there is none."""
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


def _pass_on(frame: bytes, carrier: FrameCarrier) -> None:
    try:
        carrier.receive(frame)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise NoMessageError(types.PARSE_ERROR, "This binary frame is no answer about a file.") from error


async def serve_websocket(
    hub: Hub,
    socket: WebSocketConnection,
    options: Options,
    kind: ClientKind = "websocket",
    proof: str | None = None,
    kept: SessionClients | None = None,
) -> None:
    """Serve one client on an accepted socket until either end closes it. `proof`: of its session. `kept`: what outlives
    the connection."""
    to_server, from_client = anyio.create_memory_object_stream[_Incoming](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def send_frame(frame: bytes) -> None:
        with suppress(ConnectionClosed):  # which ends the session
            await socket.send_message(frame)

    carrier = FrameCarrier(send_frame) if options.carries else None
    connection = _Connection(socket, to_server, to_client.clone(), carrier)
    try:
        async with (
            open_session(hub, options, kind, proof=proof, kept=kept, carrier=carrier) as session,
            trio.open_nursery() as nursery,
        ):
            initialization = session.server.create_initialization_options()
            nursery.start_soon(session.server.run, from_client, to_client, initialization)
            nursery.start_soon(connection.write, from_server)
            await connection.read()
            nursery.cancel_scope.cancel()
    except* ConnectionClosed:
        pass  # the client has disconnected
    await close_socket(socket)


class _Connection:
    """Carries messages between one client's socket and the SDK's streams."""

    def __init__(
        self,
        socket: WebSocketConnection,
        to_server: MemoryObjectSendStream[_Incoming],
        to_client: MemoryObjectSendStream[SessionMessage],
        carrier: FrameCarrier | None,
    ) -> None:
        self._carrier = carrier
        self._socket = socket
        self._to_server = to_server
        self._to_client = to_client
        self._written = Changed()
        # The SDK numbers its requests from 1. Their ids must not be those of another hub's: a late answer to a question
        # of a hub that was restarted would be taken for the answer to another question.
        self._own_ids = f"kapture-{secrets.token_hex(8)}-"

    async def read(self) -> None:
        """Pass the client's messages on; refuse what is none. Many of those close the socket.

        Nothing is read while answers wait for the client to read.
        """
        bad = 0
        while True:
            frame = await self._socket.get_message()
            if isinstance(frame, str):
                frame = without_lone_surrogates(frame)  # as of a text that a client has cut within an emoji
            try:
                if isinstance(frame, bytes) and self._carrier is not None:
                    _pass_on(frame, self._carrier)
                    continue
                message = message_of(frame)
            except NoMessageError as error:
                bad += 1
                if bad > _MAX_BAD_MESSAGES:
                    await close_socket(self._socket, 1008, "too many messages that are not JSON-RPC")
                    return
                await self._refuse(frame, error)
            else:
                if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and isinstance(message.id, str):
                    message.id = message.id.removeprefix(self._own_ids)
                await self._to_server.send(SessionMessage(message))
            while self._to_client.statistics().tasks_waiting_send:
                await self._written.wait()

    async def _refuse(self, frame: str | bytes, error: NoMessageError) -> None:
        """Answer an invalid message as JSON-RPC requires: with its id, where it is a request that has one."""
        try:
            request_id = _SENT.decode(frame).request_id
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            request_id = None
        data = types.ErrorData(code=error.code, message=str(error))
        await self._to_client.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=request_id, error=data)))

    async def write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Send the server's messages to the client."""
        async with from_server:
            async for item in from_server:
                await self._socket.send_message(self._encode(item.message))
                self._written.notify()

    def _encode(self, message: types.JSONRPCMessage) -> str:
        match message:
            case types.JSONRPCRequest():
                message = message.model_copy(update={"id": f"{self._own_ids}{message.id}"})
            case types.JSONRPCNotification(method="notifications/cancelled", params={"requestId": own}):
                message = message.model_copy(
                    update={"params": {**(message.params or {}), "requestId": f"{self._own_ids}{own}"}}
                )
        try:
            return message.model_dump_json(by_alias=True, exclude_unset=True)
        except (PydanticSerializationError, UnicodeError):
            logger.exception("A message cannot be sent because of a bug in Kapture.")
            data = types.ErrorData(code=types.INTERNAL_ERROR, message="The answer cannot be written as JSON.")
            refused = message.id if isinstance(message, types.JSONRPCResponse) else None
            return types.JSONRPCError(jsonrpc="2.0", id=refused, error=data).model_dump_json(exclude_unset=True)
