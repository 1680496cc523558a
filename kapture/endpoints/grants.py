"""WebSockets at `/grants`: whoever holds the key lists and revokes the standing grants that browsers keep.

No tool for MCP clients does this: the list names the sites that other clients may work on.
"""

from __future__ import annotations

import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketRequest

from kapture.endpoints.proven_socket import accept_with_proof
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client, Hub
from kapture.hub.sockets import close_socket
from kapture.hub.standing import revoke_standing, standing_rows
from kapture.wire import grants as wire
from kapture.wire.release import Failed

_REQUEST_S = 5.0
_DECODER: msgspec.json.Decoder[wire.FromProgram] = msgspec.json.Decoder(wire.FromProgram)


class GrantsEndpoint:
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
                await socket.send_message(msgspec.json.encode(await self._answer(frame)).decode())
        except ConnectionClosed:
            return
        await close_socket(socket)

    async def _answer(self, frame: str | bytes) -> wire.FromHub:
        state = self._hub.state
        try:
            request = _DECODER.decode(frame)
            rows = standing_rows(state)
            if isinstance(request, wire.List):
                return wire.Standing(rows)
            client = Client(name="kapture grants", kind="cli")
            ids = [row["id"] for row in rows] if request.id is None else [request.id]
            for grant_id in ids:
                await revoke_standing(state, grant_id, client)
            return wire.Standing([row for row in rows if row["id"] in ids])
        except (msgspec.MsgspecError, RecursionError) as error:
            return Failed(ErrorCode.INVALID_PARAMS.value, f"The request cannot be read: {error}.")
        except KaptureError as error:
            return Failed(error.code.value, error.message, error.hint)
