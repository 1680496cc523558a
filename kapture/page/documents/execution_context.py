"""Execution contexts: where scripts of one document and one world run, as reported by the browser.

A frame has two that matter, the page's own (`main`) and the agent's; both change with every document.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import attrs

from kapture.cdp import CdpSession
from kapture.changed import Changed
from kapture.errors import Detached, ErrorCode

World: TypeAlias = Literal["main", "kapture"]

AGENT_WORLD: World = "kapture"
_WORLDS: tuple[World, ...] = ("main", "kapture")


class ContextGone(Detached):
    """The execution context was destroyed before it answered. It is not known whether it did what it was asked to."""

    def __init__(self) -> None:
        super().__init__(
            ErrorCode.DETACHED,
            "The page navigated to another document while this ran.",
            hint="Look at the page again: the action may have taken effect or not.",
        )


@attrs.frozen(eq=False)
class ExecutionContext:
    """One world of one document of a frame.

    `context_id` is CDP's `uniqueContextId`, never reused; `number` is its `executionContextId`, unique only in its
    process; `origin` is the document's.
    """

    frame_id: str
    world: World
    session: CdpSession
    context_id: str
    number: int
    origin: str


class ExecutionContexts:
    """The execution contexts of one tab. `changed` is notified when one is created or destroyed; `on_agent` is called
    with the id of a frame whose document is known and has its agent now."""

    def __init__(self, changed: Changed, on_agent: Callable[[str], None] = lambda _: None) -> None:
        self.changed = changed
        self._on_agent = on_agent
        self._contexts: dict[tuple[CdpSession, str, World], ExecutionContext] = {}
        self._between_pages: set[CdpSession] = set()
        """Sessions whose page is gone and the next not known: one from the back/forward cache reports its contexts
        before itself."""

    def observe(self, session: CdpSession) -> None:
        """Subscribe to the events of one session."""
        session.on("Runtime.executionContextCreated", lambda params: self._created(session, params["context"]))
        session.on(
            "Runtime.executionContextDestroyed", lambda params: self._destroyed(session, params["executionContextId"])
        )
        session.on("Runtime.executionContextsCleared", lambda _: self._cleared(session))

    def page_came(self, session: CdpSession) -> None:
        """The session has reported which page it shows."""
        self._between_pages.discard(session)

    def current(self, session: CdpSession, frame_id: str, world: World) -> ExecutionContext | None:
        """The context of the document that a frame shows in a session; None if it does not exist yet."""
        return self._contexts.get((session, frame_id, world))

    def of_page(self, session: CdpSession, context: object) -> ExecutionContext | None:
        """The context of a session with this `number` or `context_id`, if it is the main world of a document."""
        if isinstance(context, bool):
            return None
        for known in self._contexts.values():
            of_page = known.session is session and known.world == "main"
            if of_page and context in (known.number, known.context_id):
                return known
        return None

    def end_session(self, session: CdpSession) -> None:
        """Drop all contexts of a session that has ended."""
        self._between_pages.discard(session)
        self._destroyed(session, None)

    def end_document(self, session: CdpSession, frame_id: str) -> None:
        """Drop the contexts of a document that a frame showed in a session."""
        for world in _WORLDS:
            if context := self._contexts.get((session, frame_id, world)):
                self._end(context)

    def end_initial_document(self, session: CdpSession, frame_id: str, origin: str) -> None:
        """Drop the contexts of a frame's initial empty document, unless the next document, of this origin, has them.

        Chromium reuses the window for a document of the same origin, and reports no new contexts then (Blink's
        `LocalFrame::ShouldReuseDefaultView`). If it does not reuse it, it has reported the end of the contexts before.
        """
        for world in _WORLDS:
            context = self._contexts.get((session, frame_id, world))
            if context is not None and (not context.origin or context.origin != origin):
                self._end(context)
            elif context is not None and world == AGENT_WORLD:
                self._on_agent(frame_id)

    def end_frame(self, frame_id: str) -> None:
        """Drop the contexts of a frame that is gone, in every session."""
        for context in tuple(self._contexts.values()):
            if context.frame_id == frame_id:
                self._end(context)

    def _created(self, session: CdpSession, described: dict[str, Any]) -> None:
        details = described.get("auxData") or {}
        frame_id = details.get("frameId")
        if frame_id is None:
            return
        if details.get("isDefault"):
            world: World = "main"
        elif described.get("name") == AGENT_WORLD:
            world = AGENT_WORLD
        else:
            return
        key = (session, frame_id, world)
        if before := self._contexts.get(key):
            self._end(before)
        self._contexts[key] = ExecutionContext(
            frame_id, world, session, described["uniqueId"], described["id"], described.get("origin", "")
        )
        if world == AGENT_WORLD and session not in self._between_pages:
            self._on_agent(frame_id)
        self.changed.notify()

    def _cleared(self, session: CdpSession) -> None:
        self._destroyed(session, None)
        self._between_pages.add(session)

    def _destroyed(self, session: CdpSession, number: int | None) -> None:
        for context in tuple(self._contexts.values()):
            if context.session is session and number in (None, context.number):
                self._end(context)
        self.changed.notify()

    def _end(self, context: ExecutionContext) -> None:
        key = (context.session, context.frame_id, context.world)
        if self._contexts.get(key) is context:
            del self._contexts[key]
        context.session.connection.pending.fail_context(context.context_id, ContextGone())
