"""A client's request to open a WebSocket, which is either accepted or refused."""

from __future__ import annotations

from collections.abc import Sequence

import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, RejectConnection, RejectData, Request
from wsproto.utilities import RemoteProtocolError

from kapture.websocket.connection import WebSocketConnection

Headers = Sequence[tuple[bytes, bytes]]


class WebSocketRequest:
    """An upgrade request that has been read. `path` is its target, query included."""

    def __init__(
        self, stream: trio.SocketStream, handshake: WSConnection, request: Request, max_message_bytes: int, rest: bytes
    ) -> None:
        self._stream = stream
        self._handshake = handshake
        self._max_message_bytes = max_message_bytes
        self._rest = rest
        self._headers = list(request.extra_headers)
        self._path = request.target
        self._subprotocols = tuple(request.subprotocols)

    @property
    def headers(self) -> Headers:
        """The request's headers."""
        return self._headers

    @property
    def path(self) -> str:
        """The request's path."""
        return self._path

    @property
    def proposed_subprotocols(self) -> tuple[str, ...]:
        """The subprotocols that the client offers."""
        return self._subprotocols

    async def accept(self, *, subprotocol: str | None = None, extra_headers: Headers = ()) -> WebSocketConnection:
        """Open the WebSocket."""
        answer = AcceptConnection(subprotocol=subprotocol, extra_headers=list(extra_headers))
        await self._stream.send_all(self._handshake.send(answer))
        return WebSocketConnection(self._stream, max_message_bytes=self._max_message_bytes, received=self._rest)

    async def reject(self, status_code: int, *, body: bytes) -> None:
        """Refuse, with an HTTP status and a text."""
        headers = [(b"Content-length", str(len(body)).encode())]
        refusal = RejectConnection(status_code=status_code, headers=headers, has_body=True)
        await self._stream.send_all(self._handshake.send(refusal) + self._handshake.send(RejectData(data=body)))


async def read_request(
    stream: trio.SocketStream, head: bytes, rest: bytes, *, max_message_bytes: int
) -> WebSocketRequest | None:
    """The request with this head; None if it is no valid upgrade, which has been answered then. `rest`: what came after
    the head."""
    handshake = WSConnection(ConnectionType.SERVER)
    try:
        handshake.receive_data(head)
        for event in handshake.events():
            if isinstance(event, Request):
                return WebSocketRequest(stream, handshake, event, max_message_bytes, rest)
    except RemoteProtocolError as error:
        if error.event_hint is not None:
            await stream.send_all(handshake.send(error.event_hint))
    return None
