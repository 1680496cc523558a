"""The other end of the hub's WebSocket, over a real socket: it sends frames as it likes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from wsproto.connection import Connection, ConnectionType
from wsproto.events import CloseConnection, Event, TextMessage

from kapture.eager_stream import WholeStream
from kapture.websocket import WebSocket

MOST = 1_000_000


class Peer:
    """The client's end. `events` holds what it has received."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.protocol = Connection(ConnectionType.CLIENT)
        self.events: list[Event] = []
        self._text = ""

    async def send(self, *events: Event) -> None:
        """Send them in one piece."""
        await self.stream.send_all(b"".join(bytes(self.protocol.send(event)) for event in events))

    async def receive(self) -> Event:
        """The next event; a message as a whole. `EndOfChannel` at the end of the connection."""
        while True:
            while self.events:
                event = self.events.pop(0)
                if not isinstance(event, TextMessage):
                    return event
                self._text += event.data
                if event.message_finished:
                    whole, self._text = self._text, ""
                    return TextMessage(data=whole)
            if not (data := await self.stream.receive_some(65_536)):
                raise trio.EndOfChannel
            self.protocol.receive_data(bytes(data))
            self.events += self.protocol.events()

    async def close(self, code: int = 1000, reason: str = "") -> None:
        await self.send(CloseConnection(code=code, reason=reason))


@asynccontextmanager
async def connected(stream: type[WholeStream] = WholeStream) -> AsyncIterator[tuple[WebSocket, Peer]]:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    theirs = await trio.open_tcp_stream("127.0.0.1", listeners[0].socket.getsockname()[1])
    ours = await listeners[0].accept()
    await listeners[0].aclose()
    async with ours, theirs:
        yield WebSocket(stream(ours), Connection(ConnectionType.SERVER), MOST), Peer(theirs)
