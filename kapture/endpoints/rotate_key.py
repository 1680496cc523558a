"""WebSockets at `/rotate-key`: by connecting, a holder of the key makes the hub create a new key.

This works on every system; the signal that `kapture serve` also obeys does not. The hub answers by closing, and if it
could not change the key, with a message that says why.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress

import trio
from trio_websocket import ConnectionClosed, WebSocketRequest

from kapture.endpoints.proven_socket import accept_with_proof
from kapture.errors import KaptureError
from kapture.hub import Hub
from kapture.hub.sockets import close_socket

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
