"""One tab's CDP sessions over one transport.

A tab has a root session (`session_id` None) and, for out-of-process frames and workers, flat child
sessions (`Target.setAutoAttach {flatten: true}`). The transport belongs to a backend: it takes
commands in order and feeds events back through `CdpConnection.deliver`.

Commands can be *pipelined*: `submit` sends a command without waiting, so that a click's three input events cost one
round trip instead of three. Commands reach the browser in the order of submission. Those that are submitted inside
`CdpConnection.together` are a program (`kapture.cdp.program`) and travel as one message: finding a button, pressing it
where it was found and asking for the outcome costs one round trip.

Event handlers are plain functions, called in the order in which the browser sent the events, from the task
that reads the transport. They must not block; work that waits belongs in a nursery of the subscriber.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol, TypeAlias

from kapture.cdp.program import (
    BROWSER,
    CdpCommand,
    Condition,
    EarlierResult,
    Json,
    PendingReplies,
    PendingReply,
    ResultReference,
)
from kapture.errors import ErrorCode, KaptureError

EventHandler: TypeAlias = Callable[[Json], None]
ChooseEvents: TypeAlias = Callable[[frozenset[str] | None], object]
"""Tells the transport to deliver only events of these methods, or all (None). It may deliver others as well."""


_THROWN = "/exceptionDetails"
"""In the result of a script that has thrown."""


class CdpTransport(Protocol):
    """Carries commands to the browser. Neither method waits; a full buffer raises `KaptureError`."""

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send one command. The reply settles when the answer arrives or the transport ends."""

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Send a program; each command's `reply` settles, with an error if sending failed."""


class CdpSession:
    """One CDP session: the tab's page itself, or a frame or worker in another process."""

    def __init__(self, connection: CdpConnection, session_id: str | None) -> None:
        self.connection = connection
        self.session_id = session_id
        self._handlers: dict[str, list[EventHandler]] = {}
        self._closed: KaptureError | None = None

    @property
    def closed(self) -> bool:
        """Whether the browser has ended the session."""
        return self._closed is not None

    def submit(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        wait_for_previous: bool = False,
        requires: Sequence[Condition] = (),
        needs: str | None = BROWSER,
    ) -> PendingReply:
        """Send without waiting. Every `PendingReply` must be waited for, or its failure is lost.

        `wait_for_previous` and `requires`: see `CdpCommand`; only inside `CdpConnection.together`.
        `needs`: what must continue to exist for an answer to come (kapture/cdp/pending_replies.py).
        """
        if self._closed is not None:
            reply = PendingReply()
            reply.fail(self._closed)
            return reply
        command = CdpCommand(method, params or {}, self.session_id, wait_for_previous, requires)
        reply = self.connection.submit(command)
        if not reply.done:
            self.connection.pending.add(reply, self, needs)
        return reply

    def submit_all(
        self,
        commands: Sequence[tuple[str, Mapping[str, Any]]],
        *,
        requires: Sequence[Condition] = (),
        needs: str | None = BROWSER,
    ) -> list[PendingReply]:
        """Send a list of commands as one program, without waiting. Parameters may be an `EarlierResult`: if that
        command is refused, or its script throws, this one and all after it are skipped. `requires`: conditions on
        what was submitted before, without which all of them are skipped."""
        replies: list[PendingReply] = []
        with self.connection.together():
            for method, params in commands:
                used = {name: value for name, value in params.items() if isinstance(value, EarlierResult)}
                references = {name: ResultReference(replies[one.at], one.path) for name, one in used.items()}
                returned = [Condition(ResultReference(one.reply, _THROWN), None) for one in references.values()]
                conditions = returned if replies else [*requires, *returned]
                replies.append(self.submit(method, {**params, **references}, requires=conditions, needs=needs))
        return replies

    def close(self, error: KaptureError) -> None:
        """End the session: pending commands fail with this error, and so do later ones."""
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
        """Call `handler(params)` for each event `method` (or `"*"`: `{"method", "params"}`). Returns what unsubscribes
        it."""
        handlers = self._handlers.setdefault(method, [])
        handlers.append(handler)
        self.connection.listened(method)

        def off() -> None:
            if handler in handlers:
                handlers.remove(handler)
                if method == "*":
                    self.connection.leave_out_more()

        return off

    @contextmanager
    def listening(self, handlers: Mapping[str, EventHandler]) -> Iterator[None]:
        """Subscribe as `on` does, for the duration of a block."""
        undo = [self.on(method, handler) for method, handler in handlers.items()]
        try:
            yield
        finally:
            for off in undo:
                off()

    @property
    def reads_all(self) -> bool:
        """Whether a handler is subscribed to every event (`"*"`)."""
        return bool(self._handlers.get("*"))

    def dispatch(self, method: str, params: Json) -> None:
        """Pass one event to its handlers."""
        for handler in tuple(self._handlers.get(method, ())):
            handler(params)
        for handler in tuple(self._handlers.get("*", ())):
            handler({"method": method, "params": params})


class CdpConnection:
    """The root session of a tab and its child sessions.

    `choose_events` limits what the transport delivers, if it can.
    """

    def __init__(self, transport: CdpTransport, choose_events: ChooseEvents = lambda _: None) -> None:
        self._transport = transport
        self._choose = choose_events
        self.pending = PendingReplies()
        self.root = CdpSession(self, None)
        self._children: dict[str, CdpSession] = {}
        self._announced_by: dict[str, str | None] = {}
        """The child sessions, each with the session on which it was announced."""
        self._together: list[CdpCommand] | None = None
        self._methods: set[str] = set()
        self._leaves_out = False
        self._chosen: frozenset[str] | None = None
        self.sent = 0
        """Counts the messages sent."""

    def submit(self, command: CdpCommand) -> PendingReply:
        """Send on any session of the tab without waiting."""
        if self._together is not None:
            self._together.append(command)
            return command.reply
        self.sent += 1
        return self._transport.submit(command.method, command.params, command.session_id)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Send everything submitted in the block as one program, when the block ends. Do not await inside the block."""
        if self._together is not None:
            yield  # part of a larger block
            return
        commands = self._together = []
        try:
            yield
        finally:
            self._together = None
            if commands:
                self.sent += 1
                self._transport.submit_all(commands)

    def session(self, session_id: str | None) -> CdpSession:
        """The session with this id, created on first use."""
        if session_id is None:
            return self.root
        if session_id not in self._children:
            self._children[session_id] = CdpSession(self, session_id)
        return self._children[session_id]

    def forget(self, session_id: str) -> None:
        """Drop a child session that the browser has detached. Its commands fail with `DETACHED`."""
        if session := self._children.pop(session_id, None):
            session.close(KaptureError(ErrorCode.DETACHED, "The frame has gone, or moved to another process."))
            self.leave_out_more()

    def deliver(self, method: str, params: Json, session_id: str | None) -> None:
        """Dispatch one event from the transport. Events of a session that has ended are dropped.

        The sessions that were announced on one that ends are reported first: they end with it, without an event if a
        navigation ends them (Chromium 150).
        """
        if method == "Target.attachedToTarget":
            self._announced_by[params["sessionId"]] = session_id
        elif method == "Target.detachedFromTarget":
            ended = params["sessionId"]
            self._announced_by.pop(ended, None)
            for nested in [one for one, by in self._announced_by.items() if by == ended]:
                self.deliver(method, {"sessionId": nested}, ended)
        session = self.root if session_id is None else self._children.get(session_id)
        if session is not None:
            session.dispatch(method, params)

    def leave_out_unread_events(self) -> None:
        """Allow the transport to leave out events that nobody has subscribed to so far.

        A method that was once subscribed to continues to be delivered, because every action subscribes anew.
        """
        self._leaves_out = True
        self.leave_out_more()

    def leave_out_more(self) -> None:
        """A subscription to every event has ended. If this cannot be sent now, more is delivered than is read."""
        with suppress(KaptureError):
            self._choose_events()

    def listened(self, method: str) -> None:
        """Note a subscription to `method` in any session."""
        if method == "*" or method not in self._methods:
            self._methods.add(method)
            self._choose_events()

    def _choose_events(self) -> None:
        if not self._leaves_out:
            return
        reads_all = any(session.reads_all for session in (self.root, *self._children.values()))
        chosen = None if reads_all else frozenset(self._methods - {"*"})
        if chosen != self._chosen:
            self._choose(chosen)
            self._chosen = chosen
