"""The opening handshake of a WebSocket, at the hub's end."""

from __future__ import annotations

from trio_websocket import CloseReason, ConnectionClosed
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Event, RejectConnection, RejectData, Request
from wsproto.utilities import RemoteProtocolError

from kapture.websocket.connection import ABNORMAL, WebSocket
from kapture.websocket.stream import FAILURES, Stream


class WebSocketRequest:
    """A request to open a WebSocket, to be accepted or rejected."""

    def __init__(self, stream: Stream, protocol: WSConnection, event: Request, max_message_bytes: int) -> None:
        self._stream = stream
        self._protocol = protocol
        self._event = event
        self._max_message_bytes = max_message_bytes

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """Names, in lower case, and values."""
        return self._event.extra_headers

    @property
    def path(self) -> str:
        """Path and query."""
        return self._event.target

    @property
    def proposed_subprotocols(self) -> tuple[str, ...]:
        """The subprotocols that the client offers."""
        return tuple(self._event.subprotocols)

    async def accept(
        self, *, subprotocol: str | None = None, extra_headers: list[tuple[bytes, bytes]] | None = None
    ) -> WebSocket:
        """Accept it; `ConnectionClosed` if the client has gone."""
        await self._send(AcceptConnection(subprotocol=subprotocol, extra_headers=extra_headers or []))
        assert self._protocol.connection is not None  # noqa: S101  it is open now
        return WebSocket(self._stream, self._protocol.connection, self._max_message_bytes)

    async def reject(
        self, status_code: int, *, extra_headers: list[tuple[bytes, bytes]] | None = None, body: bytes = b""
    ) -> None:
        """Answer with an HTTP status of 300 or more; `ConnectionClosed` if the client has gone."""
        length = [(b"Content-Length", b"%d" % len(body))] if body else []
        headers = [*(extra_headers or []), *length]
        await self._send(RejectConnection(status_code=status_code, headers=headers, has_body=bool(body)))
        if body:
            await self._send(RejectData(data=body))

    async def _send(self, event: Event) -> None:
        try:
            await self._stream.send_all(self._protocol.send(event))
        except FAILURES:
            raise ConnectionClosed(CloseReason(ABNORMAL, None)) from None


async def read_request(stream: Stream, max_message_bytes: int) -> WebSocketRequest | None:
    """Read the request to open a WebSocket; None if the client leaves, or its request was not valid and is refused.

    `max_message_bytes`: a larger message closes the WebSocket with code 1009.
    """
    protocol = WSConnection(ConnectionType.SERVER)
    while data := await stream.receive_some():
        try:
            protocol.receive_data(bytes(data))
        except (RemoteProtocolError, UnicodeDecodeError) as error:  # wsproto decodes lists of headers as ASCII
            hint = error.event_hint if isinstance(error, RemoteProtocolError) else None
            await stream.send_all(protocol.send(hint or RejectConnection()))
            return None
        for event in protocol.events():
            if isinstance(event, Request):
                return WebSocketRequest(stream, protocol, event, max_message_bytes)
    return None
