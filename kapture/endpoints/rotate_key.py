"""WebSockets at `/rotate-key`: whoever holds the client token has the hub make a new key by connecting.

On every system: a signal, which `kapture serve` obeys too, exists on some only. The connection's end is the answer.
"""

from __future__ import annotations

from collections.abc import Callable

from trio_websocket import WebSocketRequest

from kapture.endpoints.proven_socket import accept_with_proof
from kapture.hub import Hub


class RotateKeyEndpoint:
    """`rotate` makes the key and drops every connection."""

    def __init__(self, hub: Hub, rotate: Callable[[], None]) -> None:
        self._hub = hub
        self._rotate = rotate

    async def serve(self, request: WebSocketRequest) -> None:
        """The program has authenticated when the socket is accepted."""
        if await accept_with_proof(request, self._hub) is not None:
            self._rotate()
