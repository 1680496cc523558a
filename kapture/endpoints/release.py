"""WebSockets at `/release`: whoever holds the key takes a tab back from the script that holds it.

No tool for MCP clients does this: a script is ended by the person, and not by another agent that wants the tab.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress

import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketRequest

from kapture.endpoints.proven_socket import accept_with_proof
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Hub
from kapture.hub.sockets import close_socket
from kapture.wire import release as wire

_REQUEST_S = 5.0
_DECODER: msgspec.json.Decoder[wire.Release] = msgspec.json.Decoder(wire.Release)


class ReleaseEndpoint:
    """Serves the programs of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def serve(self, request: WebSocketRequest) -> None:
        """Serve one program, which has authenticated when the socket is accepted."""
        socket = await accept_with_proof(request, self._hub)
        if socket is None:
            return
        try:
            with trio.move_on_after(_REQUEST_S) as waiting:
                frame = await socket.get_message()
            if not waiting.cancelled_caught:
                await socket.send_message(msgspec.json.encode(await self._release(frame)).decode())
        except ConnectionClosed:
            return
        await close_socket(socket)

    async def _release(self, frame: str | bytes) -> wire.FromHub:
        try:
            held_by = await self._hub.holding.release(_DECODER.decode(frame).tab_id)
        except (msgspec.MsgspecError, RecursionError) as error:
            return wire.Failed(ErrorCode.INVALID_PARAMS.value, f"The request cannot be read: {error}.")
        except KaptureError as error:
            return wire.Failed(error.code.value, error.message, error.hint)
        return wire.Released(client=held_by["client"], since=held_by["since"])


# WebSockets at `/rotate-key`: by connecting, a holder of the key makes the hub create a new key.
#
# This works on every system; the signal that `kapture serve` also obeys does not. The hub answers by closing, and if it
# could not change the key, with a message that says why.

logger = logging.getLogger(__name__)

_CLOSE_S = 1


class RotateKeyEndpoint:
    """`rotate` makes the key and closes every connection."""

    def __init__(self, hub: Hub, rotate: Callable[[], None]) -> None:
        self._hub = hub
        self._rotate = rotate

    async def serve(self, request: WebSocketRequest) -> None:
        """Rotate the key; the program has authenticated when the socket is accepted."""
        socket = await accept_with_proof(request, self._hub)
        if socket is None:
            return
        try:
            self._rotate()
        except KaptureError as error:
            logger.error("The key was not changed: %s", error.explanation)
            with trio.move_on_after(_CLOSE_S), suppress(ConnectionClosed):
                await socket.send_message(error.explanation)
            await close_socket(socket)
