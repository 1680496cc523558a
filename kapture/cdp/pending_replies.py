"""Replies that have not arrived yet: one registry per tab, each reply tagged with what it depends on.

A reply that can never arrive must not be waited for. The browser drops commands whose session ends, whose execution
context is destroyed, or whose renderer crashes; while a dialog is open the renderer answers nothing. The code that
sees such an event fails the replies concerned here.
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
"""Needs the renderer of its session, in any execution context."""
INPUT = "input"
"""An input event: delivered even if the page never acknowledges it."""


class PendingReply:
    """The answer to one submitted command, awaited at most once, by any task."""

    __slots__ = ("_callbacks", "_done", "_error", "_result")

    def __init__(self) -> None:
        self._done = trio.Event()
        self._result: Json = {}
        self._error: KaptureError | None = None
        self._callbacks: list[Callable[[PendingReply], None]] = []

    @classmethod
    def failed(cls, error: KaptureError) -> PendingReply:
        """One that has settled with an error."""
        reply = cls()
        reply.fail(error)
        return reply

    @property
    def done(self) -> bool:
        """Whether it has settled, with a result or an error."""
        return self._done.is_set()

    @property
    def error(self) -> KaptureError | None:
        """The error it failed with, if it has failed."""
        return self._error

    def resolve(self, result: Json) -> None:
        """Settle with the browser's result. Ignored if settled already."""
        if not self.done:
            self._result = result
            self._settle()

    def fail(self, error: KaptureError) -> None:
        """Settle with an error. Ignored if settled already."""
        if not self.done:
            self._error = error
            self._settle()

    def follow(self, other: PendingReply) -> None:
        """Settle in the same way as another reply."""
        if other.error is not None:
            self.fail(other.error)
        else:
            self.resolve(other.value())

    def then(self, callback: Callable[[PendingReply], None]) -> None:
        """Run the callback on settling, before any later event is delivered; at once if settled already."""
        if self.done:
            callback(self)
        else:
            self._callbacks.append(callback)

    def value(self) -> Json:
        """The result of a settled reply; raises its error."""
        if self._error is not None:
            raise self._error
        return self._result

    async def wait(self) -> Json:
        """Wait for the result; raises the error if it failed."""
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
    """All pending replies of one tab. `needs` is BROWSER, RENDERER, INPUT, or the id of an execution context."""

    def __init__(self) -> None:
        self._tags: dict[PendingReply, _Tag] = {}

    def add(self, reply: PendingReply, session: Hashable, needs: str | None) -> None:
        """Keep a reply until it settles."""
        self._tags[reply] = _Tag(session, needs)
        reply.then(self._forget)

    def __len__(self) -> int:
        return len(self._tags)

    def fail_session(self, session: Hashable, error: KaptureError) -> None:
        """Fail the replies of a session that has ended or whose renderer has crashed."""
        for reply, tag in tuple(self._tags.items()):
            if tag.session == session:
                reply.fail(error)

    def fail_context(self, context_id: str, error: KaptureError) -> None:
        """Fail the replies that need an execution context that was destroyed."""
        for reply, tag in tuple(self._tags.items()):
            if tag.needs == context_id:
                reply.fail(error)

    def fail_blocked(self, error: KaptureError) -> None:
        """Fail the replies that need a renderer, because a dialog blocks them."""
        for reply, tag in tuple(self._tags.items()):
            if tag.needs not in (BROWSER, INPUT):
                reply.fail(error)

    def resolve_input(self) -> None:
        """Resolve pending input: it was delivered, but the page will not acknowledge it any more."""
        for reply, tag in tuple(self._tags.items()):
            if tag.needs == INPUT:
                reply.resolve({})

    def _forget(self, reply: PendingReply) -> None:
        self._tags.pop(reply, None)
