"""WebSockets at `/release`: whoever holds the key takes a tab back from the script that holds it.

No tool for MCP clients does this: a script is ended by the person, and not by another agent that wants the tab.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress

import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest

from kapture.endpoints.proven_socket import accept_with_proof, send, serve_program
from kapture.errors import KaptureError
from kapture.hub import Hub
from kapture.hub.sockets import close_socket
from kapture.wire import release as wire

_DECODER: msgspec.json.Decoder[wire.Release] = msgspec.json.Decoder(wire.Release)


class ReleaseEndpoint:
    """Serves the programs of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def serve(self, request: WebSocketRequest) -> None:
        """Serve one program, which has authenticated when the socket is accepted."""
        await serve_program(request, self._hub, _DECODER, self._release)

    async def _release(self, socket: WebSocketConnection, request: wire.Release) -> None:
        held_by = await self._hub.holding.release(request.tab_id)
        await send(socket, wire.Released(client=held_by["client"], since=held_by["since"]))


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
