"""The hub's end of an open WebSocket: messages are read, and sent if possible, in the task that wants that.

trio-websocket reads each connection in a task of its own, passes messages through a channel, and gives way before it
sends. With it a call of a tool took the hub 0.63 ms of processor time instead of 0.51.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import trio
from trio_websocket import CloseReason, ConnectionClosed
from wsproto.connection import Connection, ConnectionState
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, Pong, TextMessage

from kapture.websocket.stream import FAILURES, Stream

_NORMAL, ABNORMAL, _TOO_BIG = 1000, 1006, 1009
_EVENTS_AT_A_TIME = 25
"""Events that are no whole message, handled before other tasks get their turn: one read may bring 37,000."""


class WebSocket:
    """An open WebSocket. Any number of tasks may send; pings are answered while a task waits for a message."""

    def __init__(self, stream: Stream, protocol: Connection, max_message_bytes: int) -> None:
        self._stream = stream
        self._protocol = protocol
        self._max_message_bytes = max_message_bytes
        self._received: Iterator[Event] = protocol.events()
        """What has been received and not handled. Taken one by one: a close frame changes the protocol's state."""
        self._handled = False  # all of it
        self._parts: list[str | bytes] = []  # of a message that is not complete
        self._size = 0
        self._reading = trio.Lock()
        self._sending = trio.StrictFIFOLock()
        self._begun: str | None = None  # the message that `send_now` has not sent as a whole
        self._pings: dict[bytes, trio.Event] = {}
        self.closed: CloseReason | None = None
        """Why it is closed, or being closed; None while it is open."""

    async def get_message(self) -> str | bytes:
        """Wait for the next message; `ConnectionClosed` once the socket is closed."""
        self._check_open()
        return await self._next_message()

    def send_now(self, message: str) -> bool:
        """Send what the connection takes of a text message at once; returns whether that is all.

        If it is not, `send_message` with the same message, before the next `send_now`, sends the rest. What other tasks
        send may come between.
        """
        if self.closed is not None or self._sending.locked():
            return False
        try:
            if self._stream.send_now(self._protocol.send(TextMessage(data=message))):
                return True
        except FAILURES:
            return False  # `send_message` raises it
        self._begun = message
        return False

    async def send_message(self, message: str | bytes) -> None:
        """Send a text or binary message; `ConnectionClosed` if the socket is closed."""
        self._check_open()
        if self._begun is message:
            self._begun = None
            await self._send(b"")
            return
        event = TextMessage(data=message) if isinstance(message, str) else BytesMessage(data=message)
        await self._send(self._protocol.send(event))

    async def ping(self) -> None:
        """Send a ping and wait for its pong; `ConnectionClosed` if the socket is closed before."""
        self._check_open()
        payload = secrets.token_bytes(4)
        answered = self._pings[payload] = trio.Event()
        await self._send(self._protocol.send(Ping(payload=payload)))
        await answered.wait()
        self._check_open()

    async def aclose(self, code: int = _NORMAL, reason: str | None = None) -> None:
        """Send a close frame, wait for the other end's, and close the connection; nothing more is received."""
        if self.closed is not None:
            return
        self.closed = CloseReason(_NORMAL, None)
        try:
            await self._send(self._protocol.send(CloseConnection(code=code, reason=reason)))
            await self._next_message()  # none is returned any more
        except ConnectionClosed:
            pass
        finally:
            await self._close_stream()

    def _check_open(self) -> None:
        if self.closed is not None:
            raise ConnectionClosed(self.closed)

    async def _next_message(self) -> str | bytes:
        """Wait for a message; once the socket is being closed, for its end, which raises `ConnectionClosed`."""
        try:
            self._reading.acquire_nowait()  # `acquire` would give way to other tasks
        except trio.WouldBlock:
            await self._reading.acquire()
        try:
            if not self._handled:
                await trio.lowlevel.checkpoint()
            while True:
                handled = 0
                while (event := next(self._received, None)) is not None:
                    if (message := await self._take(event)) is not None:
                        return message
                    handled += 1
                    if handled % _EVENTS_AT_A_TIME == 0:
                        await trio.lowlevel.checkpoint()
                self._handled = True
                if self._protocol.state is ConnectionState.CLOSED:
                    raise ConnectionClosed(self.closed)
                await self._receive()
        finally:
            self._reading.release()

    async def _send(self, data: bytes) -> None:
        async with self._sending:
            try:
                await self._stream.send_all(data)
            except FAILURES:
                self._lost()
                raise ConnectionClosed(self.closed) from None

    async def _receive(self) -> None:
        try:
            data = await self._stream.receive_some()
        except FAILURES:
            data = b""
        if data and self._protocol.state is not ConnectionState.CLOSED:  # a send that failed meanwhile closes it
            self._protocol.receive_data(bytes(data))
            self._received, self._handled = self._protocol.events(), False
        else:
            self._lost()

    async def _take(self, event: Event) -> str | bytes | None:
        """Handle what was received; returns a message that is complete."""
        match event:
            case TextMessage() | BytesMessage() if self.closed is None:
                return await self._take_part(event)
            case Ping() if self.closed is None:
                await self._send(self._protocol.send(event.response()))
            case Pong():
                self._take_pong(bytes(event.payload))
            case CloseConnection():
                await self._closed_by_peer(event)
        return None

    async def _take_part(self, event: TextMessage | BytesMessage) -> str | bytes | None:
        self._size += len(event.data)
        if self._size > self._max_message_bytes:
            self._parts.clear()
            self.closed = CloseReason(_TOO_BIG, f"Exceeded maximum message size: {self._max_message_bytes} bytes")
            await self._send(self._protocol.send(CloseConnection(code=_TOO_BIG, reason=self.closed.reason)))
            raise ConnectionClosed(self.closed)
        if event.data or event.message_finished:  # any number of empty ones may come
            self._parts.append(event.data if isinstance(event.data, str) else bytes(event.data))
        if not event.message_finished:
            return None
        parts, self._parts, self._size = self._parts, [], 0
        return type(parts[0])().join(parts)  # type: ignore[arg-type]  # all are of one type

    def _take_pong(self, payload: bytes) -> None:
        """A pong may answer several pings at once: those before its own too (RFC 6455, section 5.5.3)."""
        if payload in self._pings:
            for earlier in list(self._pings):
                self._pings.pop(earlier).set()
                if earlier == payload:
                    return

    async def _closed_by_peer(self, close: CloseConnection) -> None:
        """The other end closes the socket, has answered our close frame, or has broken the protocol."""
        try:
            if self.closed is None:
                self.closed = CloseReason(close.code, close.reason or None)
                await self._send(self._protocol.send(close.response()))
        finally:
            self._lost()
            await self._close_stream()

    def _lost(self) -> None:
        """Nothing is received any more."""
        self.closed = self.closed or CloseReason(ABNORMAL, None)
        if self._protocol.state is not ConnectionState.CLOSED:
            self._protocol.receive_data(None)
        self._received = iter(())
        for ping in self._pings.values():
            ping.set()

    async def _close_stream(self) -> None:
        with trio.CancelScope(shield=True):  # it does not wait
            await self._stream.aclose()
