"""One tab's CDP sessions over one transport.

A tab has a root session (`session_id` None) and, for out-of-process frames and workers, flat child
sessions (`Target.setAutoAttach {flatten: true}`). The transport is given by a backend: it takes
commands in order and feeds events back through `CdpConnection.deliver`.

Commands can be *pipelined*: `submit` hands a command over without waiting, so that a click's three input
events cost one round trip instead of three. Order of submission is order of arrival in the browser. Those that are
submitted inside `CdpConnection.together` travel as one message, and one with `after` waits, near the browser, until
those before it have been answered: a click and the question what came of it cost one round trip.

Event handlers are plain functions, called in the order in which the browser sent the events, from the task
that reads the transport. They must not block; work that waits belongs in a nursery of the subscriber.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

import attrs

from kapture.cdp.pending_replies import BROWSER, Json, PendingReplies, PendingReply
from kapture.errors import ErrorCode, KaptureError

EventHandler: TypeAlias = Callable[[Json], None]


@attrs.frozen(eq=False)
class CdpCommand:
    """One of several commands that are handed over together. `after`: those before it must be answered first."""

    method: str
    params: Mapping[str, Any]
    session_id: str | None = None
    after: bool = False
    reply: PendingReply = attrs.field(factory=PendingReply)


class CdpTransport(Protocol):
    """What carries commands to the browser. Nothing here waits; a full buffer raises `KaptureError`."""

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Hand over one command. Replies settle when the answer arrives or the transport ends."""

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Hand over several, to be started in order; each one's `reply` settles, if need be with what was raised."""


def submit_each(
    submit: Callable[[str, Mapping[str, Any], str | None], PendingReply], commands: Sequence[CdpCommand]
) -> None:
    """`CdpTransport.submit_all` for a transport that carries one command at a time."""
    open_replies: set[PendingReply] = set()
    for index, command in enumerate(commands):
        if command.after and open_replies:

            def answered(_: PendingReply, rest: Sequence[CdpCommand] = commands[index:]) -> None:
                if not open_replies:
                    submit_each(submit, rest)

            for reply in tuple(open_replies):
                reply.then(answered)
            return
        try:
            reply = submit(command.method, command.params, command.session_id)
        except KaptureError as error:
            command.reply.fail(error)
            continue
        reply.then(command.reply.follow)
        if not reply.done:
            open_replies.add(reply)
            reply.then(open_replies.discard)


class CdpSession:
    """One CDP session: the tab's page itself, or a frame or worker in another process."""

    def __init__(self, connection: CdpConnection, session_id: str | None) -> None:
        self.connection = connection
        self.session_id = session_id
        self._handlers: dict[str, list[EventHandler]] = {}
        self._closed: KaptureError | None = None

    @property
    def closed(self) -> bool:
        """Whether the browser has ended it."""
        return self._closed is not None

    def submit(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        after: bool = False,
        needs: str | None = BROWSER,
    ) -> PendingReply:
        """Send without waiting. Every `PendingReply` must be waited for, or its failure is lost.

        `after`: not before what was submitted earlier in the same `CdpConnection.together` has been answered.
        `needs`: what must stay there for an answer to come (kapture/cdp/pending_replies.py).
        """
        if self._closed is not None:
            reply = PendingReply()
            reply.fail(self._closed)
            return reply
        reply = self.connection.submit(method, params or {}, self.session_id, after=after)
        if not reply.done:
            self.connection.pending.add(reply, self, needs)
        return reply

    def close(self, error: KaptureError) -> None:
        """The session is over: what waits fails, and what comes later too."""
        self._closed = error
        self.connection.pending.fail_session(self, error)

    async def send(self, method: str, params: Mapping[str, Any] | None = None) -> Json:
        """Send and wait for the result. Raises `CdpError` when the browser refuses."""
        return await self.submit(method, params).wait()

    async def send_all(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Json]:
        """Send all at once, in order, then wait for every result."""
        replies = [self.submit(method, params) for method, params in calls]
        return [await reply.wait() for reply in replies]

    def on(self, method: str, handler: EventHandler) -> Callable[[], None]:
        """Call `handler(params)` for each event `method` (or `"*"`: `{"method", "params"}`). Returns the undo."""
        handlers = self._handlers.setdefault(method, [])
        handlers.append(handler)

        def off() -> None:
            if handler in handlers:
                handlers.remove(handler)

        return off

    @contextmanager
    def listening(self, handlers: Mapping[str, EventHandler]) -> Iterator[None]:
        """`on` for the length of a block."""
        undo = [self.on(method, handler) for method, handler in handlers.items()]
        try:
            yield
        finally:
            for off in undo:
                off()

    def dispatch(self, method: str, params: Json) -> None:
        """Hand one event to its handlers."""
        for handler in tuple(self._handlers.get(method, ())):
            handler(params)
        for handler in tuple(self._handlers.get("*", ())):
            handler({"method": method, "params": params})


class CdpConnection:
    """The root session of a tab and its child sessions."""

    def __init__(self, transport: CdpTransport) -> None:
        self._transport = transport
        self.pending = PendingReplies()
        self.root = CdpSession(self, None)
        self._children: dict[str, CdpSession] = {}
        self._together: list[CdpCommand] | None = None

    def submit(
        self, method: str, params: Mapping[str, Any], session_id: str | None, *, after: bool = False
    ) -> PendingReply:
        """Send on any session of the tab without waiting."""
        if self._together is None:
            return self._transport.submit(method, params, session_id)
        command = CdpCommand(method, params, session_id, after)
        self._together.append(command)
        return command.reply

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is submitted in the block travels together, at its end. Nothing may be waited for inside."""
        if self._together is not None:
            yield  # part of a larger block
            return
        commands = self._together = []
        try:
            yield
        finally:
            self._together = None
            if commands:
                self._transport.submit_all(commands)

    def session(self, session_id: str | None) -> CdpSession:
        """The session with this id, made when it is first asked for."""
        if session_id is None:
            return self.root
        if session_id not in self._children:
            self._children[session_id] = CdpSession(self, session_id)
        return self._children[session_id]

    def forget(self, session_id: str) -> None:
        """Drop a child session that the browser has detached. Its commands fail with `DETACHED`."""
        if session := self._children.pop(session_id, None):
            session.close(KaptureError(ErrorCode.DETACHED, "The frame has gone, or moved to another process."))

    def deliver(self, method: str, params: Json, session_id: str | None) -> None:
        """Take one event from the transport. What a session says after it has ended concerns nobody."""
        session = self.root if session_id is None else self._children.get(session_id)
        if session is not None:
            session.dispatch(method, params)
