"""Sockets of the person's programs: accepted with the hub's proof, if the program has asked for it; and one request."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest

from kapture.errors import ErrorCode, KaptureError, Unauthorized, internal_error, leaves
from kapture.hub import Hub
from kapture.hub.sockets import close_socket
from kapture.wire.failed import Failed

logger = logging.getLogger(__name__)

_REQUEST_S = 5.0
_Request = TypeVar("_Request")


async def accept_with_proof(request: WebSocketRequest, hub: Hub) -> WebSocketConnection | None:
    """Accept the socket; None if the request's nonce is invalid, in which case the request has been refused."""
    headers = []
    if (nonce := dict(request.headers).get(b"kapture-nonce")) is not None:
        try:
            proof = hub.state.pairing.client_proof(nonce.decode("ascii", "replace"))
        except Unauthorized as error:
            await request.reject(400, body=error.message.encode())
            return None
        headers.append((b"Kapture-Proof", proof.encode("ascii")))
    return await request.accept(extra_headers=headers)


async def serve_program(
    request: WebSocketRequest,
    hub: Hub,
    decoder: msgspec.json.Decoder[_Request],
    fulfil: Callable[[WebSocketConnection, _Request], Awaitable[None]],
) -> None:
    """Read the one request of an authenticated program and have it fulfilled; then close the socket. An error that
    `fulfil` raises is sent to the program. It ends without one when the program has disconnected."""
    socket = await accept_with_proof(request, hub)
    if socket is None:
        return
    error: BaseException | None = None
    try:
        with trio.fail_after(_REQUEST_S):
            frame = await socket.get_message()
        await fulfil(socket, _decoded(decoder, frame))
    except* (ConnectionClosed, trio.TooSlowError):
        pass  # the program has disconnected
    except* KaptureError as group:
        error = leaves(group)[0]
    except* Exception as group:
        logger.exception("What a program asked for failed because of a bug in Kapture.")
        error = leaves(group)[0]
    if isinstance(error, Exception):
        if not isinstance(error, KaptureError):
            error = internal_error("What the program asked for", error)
        with suppress(ConnectionClosed):
            await send(socket, Failed(error.code.value, error.message, error.hint))
    await close_socket(socket, shield=True)


async def send(socket: WebSocketConnection, message: msgspec.Struct) -> None:
    """Send a message as JSON."""
    await socket.send_message(msgspec.json.encode(message).decode())


def _decoded(decoder: msgspec.json.Decoder[_Request], frame: str | bytes) -> _Request:
    try:
        return decoder.decode(frame)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise KaptureError(ErrorCode.INVALID_PARAMS, f"The request cannot be read: {error}.") from error
