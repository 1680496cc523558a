"""WebSockets at `/rotate-key`: by connecting, a holder of the client token makes the hub create a new key.

This works on every system; the signal that `kapture serve` also obeys does not. The hub answers by closing.
"""

from __future__ import annotations

from collections.abc import Callable

from trio_websocket import WebSocketRequest

from kapture.endpoints.proven_socket import accept_with_proof
from kapture.hub import Hub


class RotateKeyEndpoint:
    """`rotate` makes the key and closes every connection."""

    def __init__(self, hub: Hub, rotate: Callable[[], None]) -> None:
        self._hub = hub
        self._rotate = rotate

    async def serve(self, request: WebSocketRequest) -> None:
        """Rotate the key; the program has authenticated when the socket is accepted."""
        if await accept_with_proof(request, self._hub) is not None:
            self._rotate()
