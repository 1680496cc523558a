"""How a WebSocket client without an `Authorization` header gets to `/mcp`: its first message says the token.

    client → {"type": "authenticate", "token": "…"}     the client token, or the Console's session token
    client → {"type": "authenticate", "ticket": "…"}    the one-time ticket of `kapture console`
    hub    → {"type": "authenticated", "token"?}        with a session token for the next time, after a ticket

MCP begins after that. A page cannot set headers on a WebSocket; this is the Console's way.
"""

from __future__ import annotations

import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest

from kapture.errors import KaptureError
from kapture.hub.handshake import Secrets
from kapture.settings import Limits


class AuthenticatingRequest(WebSocketRequest):
    """An upgrade request whose `accept` is done only when the client has authenticated; else `ConnectionClosed`."""

    def __init__(self, request: WebSocketRequest, secrets: Secrets, limits: Limits) -> None:
        self._request = request
        self._secrets = secrets
        self._limits = limits

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """As the request's."""
        return self._request.headers

    @property
    def path(self) -> str:
        """As the request's."""
        return self._request.path

    @property
    def proposed_subprotocols(self) -> tuple[str, ...]:
        """As the request's."""
        return self._request.proposed_subprotocols

    async def accept(
        self, *, subprotocol: str | None = None, extra_headers: list[tuple[bytes, bytes]] | None = None
    ) -> WebSocketConnection:
        """Accept the socket, and wait for its first message."""
        socket = await self._request.accept(subprotocol=subprotocol, extra_headers=extra_headers)
        problem: str | None = "no token in time"
        with trio.move_on_after(self._limits.proof_ms / 1_000):
            problem = await authenticate(socket, self._secrets, self._limits.unproven_message_bytes)
        if problem is not None:
            with trio.move_on_after(1):
                await socket.aclose(1008, problem[:100])
            raise ConnectionClosed(socket.closed)
        return socket

    async def reject(
        self,
        status_code: int,
        *,
        extra_headers: list[tuple[bytes, bytes]] | None = None,
        body: bytes | None = None,
    ) -> None:
        """Refuse the upgrade."""
        await self._request.reject(status_code, extra_headers=extra_headers, body=body)


class _Authenticate(msgspec.Struct, tag_field="type", tag="authenticate"):
    token: str | None = None
    ticket: str | None = None


async def authenticate(socket: WebSocketConnection, secrets: Secrets, max_bytes: int) -> str | None:
    """Read and check the first message. None when all is well, else what was wrong."""
    frame = await socket.get_message()
    if isinstance(frame, bytes) or len(frame) > max_bytes:
        return "the first message must be an authenticate message"
    try:
        message = msgspec.json.decode(frame, type=_Authenticate)
    except (msgspec.MsgspecError, RecursionError):
        return "send hub.json's client token as Authorization header, or in an authenticate message"
    answer = {"type": "authenticated"}
    if message.ticket is not None:
        try:
            answer["token"] = secrets.redeem_ticket(message.ticket)
        except KaptureError as error:
            return error.message
    elif not secrets.client_allowed(message.token):
        return "the token is not this hub's"
    await socket.send_message(msgspec.json.encode(answer).decode())
    return None
