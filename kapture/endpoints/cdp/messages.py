"""The messages of a CDP connection: commands of a script in; replies and events out, in order and bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from kapture.backends.outbox import Outbox, Socket
from kapture.cdp import CdpError
from kapture.errors import KaptureError
from kapture.wire.codec import MAX_MESSAGE_BYTES, decode_with

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
SERVER_ERROR = -32000
SESSION_NOT_FOUND = -32001
INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601


class Command(msgspec.Struct):
    """A command. `session_id` None: the browser itself."""

    id: int
    method: str
    params: dict[str, Any]
    session_id: str | None


class _Sent(msgspec.Struct, rename="camel"):
    """A command as it comes: the browser takes `params: null`, which some languages' libraries send, too."""

    id: int
    method: str
    params: dict[str, Any] | None = None
    session_id: str | None = None


class _Numbered(msgspec.Struct):
    id: int


_SENT = msgspec.json.Decoder(_Sent)
_NUMBERED = msgspec.json.Decoder(_Numbered)


class MalformedCommandError(Exception):
    """A message that is not a command. `answer` is what the script gets, with its `id` if it has one."""

    def __init__(self, code: int, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.answer: dict[str, Any] = {"error": {"code": code, "message": message}}
        if number is not None:
            self.answer["id"] = number


def decode(frame: str | bytes) -> Command:
    """Decode the command in a frame; raises `MalformedCommandError`."""
    try:
        sent = decode_with(_SENT, frame)
    except msgspec.ValidationError as error:
        number = None
        with suppress(msgspec.MsgspecError, RecursionError):
            number = _NUMBERED.decode(frame).id
        raise MalformedCommandError(INVALID_REQUEST, f"This is not a command: {error}", number) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedCommandError(PARSE_ERROR, f"This is not JSON: {error}") from error
    return Command(sent.id, sent.method, sent.params or {}, sent.session_id)


class Replies:
    """The messages to one script. `on_overflow` is called when it reads too slowly.

    `limit_bytes` of events may wait, and results until they are more than a message may be: a script has asked for
    these, and they are large together where it asks for several screenshots, or for all of a page's sources, at once.
    """

    def __init__(self, limit_bytes: int, on_overflow: Callable[[], None]) -> None:
        self._outbox = Outbox(limit_bytes)
        self._limit_bytes = limit_bytes
        self._on_overflow = on_overflow

    @property
    def room(self) -> float:
        """How much more may wait, as a part of the limit: 1 for a script that has read all events."""
        return 1 - self._outbox.limited_bytes / self._limit_bytes

    async def write_to(self, socket: Socket) -> None:
        """Send queued messages until cancelled or `ConnectionClosed`."""
        await self._outbox.write_to(socket)

    async def flushed(self) -> None:
        """Wait until everything queued has been sent."""
        await self._outbox.flushed()

    def resolve(self, command: Command, result: Mapping[str, Any]) -> None:
        """Send the command's result; an error if it is larger than a message may be."""
        frame = _frame({"id": command.id, "result": result}, command.session_id)
        if len(frame) > MAX_MESSAGE_BYTES:
            self.refuse(command, f"The result is larger than {MAX_MESSAGE_BYTES} bytes. Ask for less.", SERVER_ERROR)
        elif self._outbox.buffered_bytes > MAX_MESSAGE_BYTES:
            self._overflow()
        else:
            self._outbox.put(frame.decode(), limited=False)

    def fail(self, command: Command, error: KaptureError) -> None:
        """Send the command's error: the browser's message and code, or Kapture's with its hint."""
        if isinstance(error, CdpError):
            self.refuse(command, error.reason, error.cdp_code, error.cdp_data or None)
        else:
            self.refuse(command, error.explanation, SERVER_ERROR, error.code.value)

    def refuse(self, command: Command, message: str, code: int, data: str | None = None) -> None:
        """Send an error as the protocol defines it."""
        error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        self._put(_frame({"id": command.id, "error": error}, command.session_id))

    def malformed(self, error: MalformedCommandError) -> None:
        """Send the answer to a message that is not a command."""
        self._put(_frame(error.answer, None))

    def event(self, method: str, params: Mapping[str, Any], session_id: str | None) -> None:
        """Send an event of a session, or of the browser."""
        self._put(_frame({"method": method, "params": params}, session_id))

    def _put(self, frame: bytes) -> None:
        try:
            self._outbox.put(frame.decode())
        except KaptureError:
            self._overflow()

    def _overflow(self) -> None:
        self._outbox.close()
        self._on_overflow()


def _frame(message: dict[str, Any], session_id: str | None) -> bytes:
    return msgspec.json.encode(message if session_id is None else {**message, "sessionId": session_id})
