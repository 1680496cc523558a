"""An open WebSocket on the server's side.

It has the methods of `trio_websocket.WebSocketConnection` that the hub uses, and raises its `ConnectionClosed`, but
needs no task of its own: whoever waits for a message reads the stream. That and frames that are read in one pass
(`kapture.websocket.frames`) save a third of the processor time that a command costs the hub.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress

import trio
from trio_websocket import CloseReason, ConnectionClosed

from kapture.websocket.frames import (
    ABNORMAL,
    BINARY,
    CLOSE,
    NO_CODE,
    PING,
    PONG,
    TEXT,
    FrameError,
    FrameReader,
    close_payload,
    read_close,
    read_text,
    write_frame,
)

_RECEIVE_BYTES = 256 * 1024
_SEND_BYTES = 256 * 1024
_CLOSE_S = 5  # for the other end to close its side too
_NORMAL = 1000


class WebSocketConnection:
    """One open WebSocket. One task may wait for messages while any number send.

    Control frames are handled while a task waits for a message. `received`: bytes that came with the request.
    """

    def __init__(self, stream: trio.SocketStream, *, max_message_bytes: int, received: bytes = b"") -> None:
        self.closed: CloseReason | None = None
        self._stream = stream
        self._frames = FrameReader(masked=True, max_message_bytes=max_message_bytes, received=received)
        self._receiving = False
        self._unsent = bytearray()  # whole frames, and what is left of one: a cancelled sender leaves no half frame
        self._sending = trio.Lock()
        self._pings: dict[bytes, trio.Event] = {}

    async def get_message(self) -> str | bytes:
        """Wait for the next message: text or bytes. Raises `ConnectionClosed`."""
        received = False
        while True:
            if self.closed is not None:
                raise ConnectionClosed(self.closed)
            try:
                frame = self._frames.next()
                if frame is None:
                    self._frames.feed(await self._receive())
                    received = True
                    continue
                opcode, payload = frame
                if opcode in (TEXT, BINARY):
                    message = read_text(payload) if opcode == TEXT else payload
                    if not received:
                        await trio.lowlevel.checkpoint()  # a flood must not keep other tasks from running
                    return message
                await self._handle_control(opcode, payload)
            except FrameError as error:
                self.closed = CloseReason(error.code, error.reason)
                await self._close(error.code, error.reason)

    async def send_message(self, message: str | bytes) -> None:
        """Send one message. Raises `ConnectionClosed`. It is no scheduling point if the system takes it at once."""
        if isinstance(message, str):
            await self._send(write_frame(TEXT, message.encode()))
        else:
            await self._send(write_frame(BINARY, message))

    async def ping(self, payload: bytes | None = None) -> None:
        """Send a ping and wait for its pong. Raises `ConnectionClosed`."""
        payload = secrets.token_bytes(4) if payload is None else payload
        event = self._pings[payload] = trio.Event()
        try:
            await self._send(write_frame(PING, payload))
            await event.wait()
        finally:
            self._pings.pop(payload, None)

    async def aclose(self, code: int = _NORMAL, reason: str | None = None) -> None:
        """Send a close frame, wait a while for the other end to close too, and close the stream. Any further use raises
        `ConnectionClosed`."""
        if self.closed is None:
            self.closed = CloseReason(_NORMAL, None)
            await self._close(code, reason or "")

    async def _close(self, code: int, reason: str) -> None:
        try:
            with trio.move_on_after(_CLOSE_S):
                await self._write(write_frame(CLOSE, close_payload(code, reason)))
                await self._stream.send_eof()
                # Closing a socket with unread data would reset it, and the other end might lose the close frame.
                while not self._receiving and await self._stream.receive_some(_RECEIVE_BYTES):
                    pass
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the other end has gone
        finally:
            await trio.aclose_forcefully(self._stream)

    async def _receive(self) -> bytes | bytearray:
        self._receiving = True
        try:
            data = await self._stream.receive_some(_RECEIVE_BYTES)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            data = b""
        finally:
            self._receiving = False
        if not data:
            self.closed = self.closed or CloseReason(ABNORMAL, None)
            raise ConnectionClosed(self.closed)
        return data

    async def _handle_control(self, opcode: int, payload: bytes) -> None:
        if opcode == PING:
            await self._send(write_frame(PONG, payload))
        elif opcode == PONG:
            self._handle_pong(payload)
        else:
            code, reason = read_close(payload)
            self.closed = CloseReason(code, reason or None)
            answer = b"" if code == NO_CODE else close_payload(code, reason)
            with suppress(OSError):  # the other end may have gone
                self._send_now(write_frame(CLOSE, answer))
            await trio.aclose_forcefully(self._stream)

    def _handle_pong(self, payload: bytes) -> None:
        """A pong answers its ping and those before it (section 5.5.3)."""
        if payload not in self._pings:
            return
        for known in list(self._pings):
            self._pings.pop(known).set()
            if known == payload:
                return

    async def _send(self, frame: bytes) -> None:
        if self.closed is not None:
            raise ConnectionClosed(self.closed)
        try:
            await self._write(frame)
        except (OSError, trio.ClosedResourceError) as error:
            self.closed = self.closed or CloseReason(ABNORMAL, None)
            raise ConnectionClosed(self.closed) from error

    async def _write(self, frame: bytes) -> None:
        await trio.lowlevel.checkpoint_if_cancelled()
        if not self._unsent:
            frame = frame[self._send_now(frame) :]
            if not frame:
                return
        self._unsent += frame
        async with self._sending:
            while self._unsent:
                del self._unsent[: await self._stream.socket.send(self._unsent[:_SEND_BYTES])]

    def _send_now(self, data: bytes) -> int:
        """Send as much as the system takes without waiting; returns how many bytes. `OSError` if the other end is gone.

        Trio's own send would let all other tasks run before it returns.
        """
        if os.name != "posix":
            return 0  # sockets are no file descriptors there
        try:
            return os.write(self._stream.socket.fileno(), data)
        except BlockingIOError:
            return 0
