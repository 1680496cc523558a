"""Replies that have not come yet: one registry a tab, tagged with what each of them needs.

A reply that can never come must not be waited for. The browser forgets commands whose session ends, whose execution
context goes away, or whose renderer crashes; while a dialog is open the renderer answers nothing. Whoever learns of
such an event settles here the replies that it concerns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

import attrs
import trio

from kapture.errors import KaptureError

Json: TypeAlias = dict[str, Any]

BROWSER = None
"""Needs no renderer: answered even while a dialog is open."""
RENDERER = "renderer"
"""Needs the renderer of its session, in whatever context."""
INPUT = "input"
"""An input event: it has been delivered even if the page never says that it has handled it."""


class PendingReply:
    """The answer to one submitted command, waited for at most once, by any task."""

    __slots__ = ("_callbacks", "_done", "_error", "_result")

    def __init__(self) -> None:
        self._done = trio.Event()
        self._result: Json = {}
        self._error: KaptureError | None = None
        self._callbacks: list[Callable[[PendingReply], None]] = []

    @property
    def done(self) -> bool:
        """Whether an answer (or a failure) has arrived."""
        return self._done.is_set()

    @property
    def error(self) -> KaptureError | None:
        """Why it failed, once it has."""
        return self._error

    def resolve(self, result: Json) -> None:
        """Settle with the browser's result. A second settling is ignored."""
        if not self.done:
            self._result = result
            self._settle()

    def fail(self, error: KaptureError) -> None:
        """Settle with an error. A second settling is ignored."""
        if not self.done:
            self._error = error
            self._settle()

    def follow(self, other: PendingReply) -> None:
        """Settle as another reply does."""
        if other.error is not None:
            self.fail(other.error)
        else:
            self.resolve(other.value())

    def then(self, callback: Callable[[PendingReply], None]) -> None:
        """Call back at the moment of settling, before any later event is delivered; at once when settled."""
        if self.done:
            callback(self)
        else:
            self._callbacks.append(callback)

    def value(self) -> Json:
        """The result of a settled reply, or the error raised."""
        if self._error is not None:
            raise self._error
        return self._result

    async def wait(self) -> Json:
        """The result, or the error raised."""
        await self._done.wait()
        return self.value()

    def _settle(self) -> None:
        self._done.set()
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)


@attrs.frozen
class _Tag:
    session: Hashable
    needs: str | None


class PendingReplies:
    """Every reply that one tab still owes. `needs` is BROWSER, RENDERER, INPUT, or the id of an execution context."""

    def __init__(self) -> None:
        self._tags: dict[PendingReply, _Tag] = {}

    def add(self, reply: PendingReply, session: Hashable, needs: str | None) -> None:
        """Keep a reply until it settles."""
        self._tags[reply] = _Tag(session, needs)
        reply.then(self._forget)

    def __len__(self) -> int:
        return len(self._tags)

    def fail_session(self, session: Hashable, error: KaptureError) -> None:
        """The session has ended, or its renderer crashed."""
        for reply, tag in tuple(self._tags.items()):
            if tag.session == session:
                reply.fail(error)

    def fail_context(self, context_id: str, error: KaptureError) -> None:
        """The execution context has gone."""
        for reply, tag in tuple(self._tags.items()):
            if tag.needs == context_id:
                reply.fail(error)

    def fail_blocked(self, error: KaptureError) -> None:
        """No renderer answers now, because a dialog is open."""
        for reply, tag in tuple(self._tags.items()):
            if tag.needs not in (BROWSER, INPUT):
                reply.fail(error)

    def resolve_input(self) -> None:
        """Input that the page will not acknowledge any more has been delivered all the same."""
        for reply, tag in tuple(self._tags.items()):
            if tag.needs == INPUT:
                reply.resolve({})

    def _forget(self, reply: PendingReply) -> None:
        self._tags.pop(reply, None)
