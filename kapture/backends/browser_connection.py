"""One CDP connection to a browser that carries the sessions of all its tabs.

Commands and events of a tab have a `sessionId` (flat sessions, `Target.attachToTarget {flatten: true}`); those without
one are the browser's own. A tab's frames and workers in other processes have child sessions: they are announced on a
session of the tab, and belong to the tab from then on. What cannot be processed ends the tab that it is about, and no
other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import attrs
import msgspec
import trio
from trio_websocket import ConnectionClosed

from kapture.backends.outbox import Outbox, Socket
from kapture.background import single_error
from kapture.cdp import CdpCommand, CdpError, PendingReply, run_program
from kapture.errors import ErrorCode, KaptureError, ProtocolError, Wording
from kapture.wire.codec import decode_with

logger = logging.getLogger(__name__)

Json: TypeAlias = dict[str, Any]

Deliver: TypeAlias = Callable[[str, Json, str | None], None]
"""Called with an event's method, parameters and session; None is the tab's own session."""

MAX_PENDING = 65_536


class _Reply(msgspec.Struct):
    code: int = -32000
    message: str = ""
    data: Any = None


class _Message(msgspec.Struct, rename="camel"):
    id: int | None = None
    method: str = ""
    params: Json = {}
    result: Json = {}
    error: _Reply | None = None
    session_id: str | None = None


_MESSAGE = msgspec.json.Decoder(_Message)


@attrs.frozen
class _Pending:
    method: str
    session_id: str | None
    reply: PendingReply


@attrs.frozen
class _Route:
    root: str
    deliver: Deliver
    give_up: Callable[[], None]


class BrowserConnection:
    """A browser's commands, replies and events over one socket. `on_event` gets the browser's own events."""

    def __init__(self, socket: Socket, *, limit_bytes: int, on_event: Callable[[str, Json], None]) -> None:
        self._socket = socket
        self._outbox = Outbox(limit_bytes)
        self._on_event = on_event
        self._made = 0
        self._pending: dict[int, _Pending] = {}
        self._routes: dict[str, _Route] = {}
        self._announced_by: dict[str, str] = {}  # sessions of frames and workers, with those that announced them
        self.closed = trio.Event()
        self.last_message_at = trio.current_time()

    @property
    def buffered_bytes(self) -> int:
        """Bytes that wait to be sent."""
        return self._outbox.buffered_bytes

    def pending_of(self, session_id: str) -> int:
        """The number of commands of a session that wait for their reply."""
        return sum(1 for one in self._pending.values() if one.session_id == session_id)

    async def run(self) -> None:
        """Carry messages until either end closes the socket."""
        try:
            with single_error():
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._read)
                    nursery.start_soon(self._outbox.write_to, self._socket)
        except* ConnectionClosed:
            pass  # pending replies are failed below
        finally:
            self.close()

    def close(self) -> None:
        """Fail everything that is pending, and send nothing more."""
        self.closed.set()
        self._outbox.close()
        self._routes.clear()
        self._announced_by.clear()
        while self._pending:
            self._pending.popitem()[1].reply.fail(_lost())

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None = None) -> PendingReply:
        """Send a command without waiting for its reply."""
        reply = PendingReply()
        if self.closed.is_set():
            reply.fail(_lost())
            return reply
        if len(self._pending) >= MAX_PENDING:
            raise KaptureError(
                ErrorCode.QUEUE_FULL,
                f"{MAX_PENDING} commands are waiting for the browser to reply.",
                hint="Wait for them to end, then try again.",
            )
        self._made += 1
        message: Json = {"id": self._made, "method": method, "params": dict(params)}
        if session_id is not None:
            message["sessionId"] = session_id
        self._outbox.put(msgspec.json.encode(message).decode())
        self._pending[self._made] = _Pending(method, session_id, reply)
        return reply

    async def send(self, method: str, params: Mapping[str, Any] | None = None, session_id: str | None = None) -> Json:
        """Send a command and wait for its result; `CdpError` if the browser refuses it."""
        return await self.submit(method, params or {}, session_id).wait()

    def open_route(self, session_id: str, deliver: Deliver, give_up: Callable[[], None]) -> None:
        """Deliver the events of this session, and of child sessions announced on it, from now on. `give_up` is called
        when one of them, or a reply, cannot be processed."""
        self._routes[session_id] = _Route(session_id, deliver, give_up)

    def close_route(self, root: str) -> None:
        """Forget a tab that is gone: this session, and those of its frames and workers."""
        for session_id in [key for key, route in self._routes.items() if route.root == root]:
            self._end_session(session_id)

    async def _read(self) -> None:
        while True:
            frame = await self._socket.get_message()
            self.last_message_at = trio.current_time()
            try:
                self._take(decode_with(_MESSAGE, frame))
            except (msgspec.MsgspecError, RecursionError) as error:
                raise ProtocolError(
                    ErrorCode.PROTOCOL_ERROR, f"The browser sent an invalid DevTools message: {error}."
                ) from error

    def _take(self, message: _Message) -> None:
        if message.id is not None:
            if (pending := self._pending.pop(message.id, None)) is not None:
                with self._contained(pending.session_id, pending.method):
                    self._settle(pending, message)
        elif message.session_id is None:
            self._on_event(message.method, message.params)
        elif (route := self._routes.get(message.session_id)) is not None:
            with self._contained(message.session_id, message.method):
                self._deliver(route, message.session_id, message)

    def _deliver(self, route: _Route, session_id: str, message: _Message) -> None:
        child = message.params.get("sessionId")
        if message.method == "Target.attachedToTarget" and isinstance(child, str):
            self._routes.setdefault(child, route)
            self._announced_by[child] = session_id
        route.deliver(message.method, message.params, None if session_id == route.root else session_id)
        if message.method == "Target.detachedFromTarget" and isinstance(child, str):
            self._end_session(child)

    @contextmanager
    def _contained(self, session_id: str | None, method: str) -> Iterator[None]:
        """Drop the tab whose message cannot be processed, and no other: a bug, or the other end is no browser."""
        try:
            yield
        except Exception:
            if (route := self._routes.get(session_id or "")) is None:
                raise
            logger.exception("A tab was dropped: its browser's message for %s cannot be processed.", method)
            route.give_up()
            self.close_route(route.root)  # what follows would be judged by what it has missed

    def _settle(self, pending: _Pending, message: _Message) -> None:
        if message.error is None:
            pending.reply.resolve(message.result)
        else:
            refusal = message.error
            pending.reply.fail(CdpError(pending.method, refusal.message, refusal.code, refusal.data))

    def _end_session(self, session_id: str) -> None:
        """Fail the commands of a session that has ended: the browser will not answer them. The sessions that were
        announced on it have ended too, of which the browser may say nothing."""
        self._announced_by.pop(session_id, None)
        for nested in [one for one, by in self._announced_by.items() if by == session_id]:
            self._end_session(nested)
        self._routes.pop(session_id, None)
        error = KaptureError(
            ErrorCode.DETACHED,
            "The page, frame or worker closed while this ran.",
            hint="It may have taken effect. List the tabs to see which are connected.",
        )
        for number, pending in tuple(self._pending.items()):
            if pending.session_id == session_id:
                del self._pending[number]
                pending.reply.fail(error)


class SessionTransport:
    """`CdpTransport` of one tab, whose own session is `root`; another one once its target is replaced."""

    def __init__(self, connection: BrowserConnection, root: str) -> None:
        self._connection = connection
        self.root = root

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send one command."""
        return self._connection.submit(method, params, self.root if session_id is None else session_id)

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Send the commands of a program one by one: over a direct connection a round trip is short."""
        run_program(self.submit, commands)


def _lost() -> KaptureError:
    return KaptureError(
        ErrorCode.TAB_DISCONNECTED,
        "The connection to the browser was lost while this ran; it may have taken effect.",
        hint=Wording("Look at the page before trying again.", "{list_tabs} shows whether the tab is back."),
    )
