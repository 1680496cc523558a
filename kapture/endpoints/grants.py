"""WebSockets at `/grants`: whoever holds the key lists and revokes the standing grants that browsers keep.

No tool for MCP clients does this: the list names the sites that other clients may work on.
"""

from __future__ import annotations

import msgspec
from trio_websocket import WebSocketConnection, WebSocketRequest

from kapture.endpoints.proven_socket import send, serve_program
from kapture.hub import Client, Hub
from kapture.hub.standing import revoke_standing, standing_rows
from kapture.wire import grants as wire

_DECODER: msgspec.json.Decoder[wire.FromProgram] = msgspec.json.Decoder(wire.FromProgram)


class GrantsEndpoint:
    """Serves the programs of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def serve(self, request: WebSocketRequest) -> None:
        """Serve one program, which has authenticated when the socket is accepted."""
        await serve_program(request, self._hub, _DECODER, self._answer)

    async def _answer(self, socket: WebSocketConnection, request: wire.FromProgram) -> None:
        rows = standing_rows(self._hub.state)
        if isinstance(request, wire.Revoke):
            client = Client(name="kapture grants", kind="cli")
            rows = [row for row in rows if request.id is None or row["id"] == request.id]
            for grant_id in [request.id] if request.id is not None else [row["id"] for row in rows]:
                await revoke_standing(self._hub.state, grant_id, client)
        await send(socket, wire.Standing(rows))
