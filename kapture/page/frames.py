"""The frames of a tab, in whichever processes they live, as the browser's events tell.

A frame keeps its key (`""` for the main frame, `f1`, `f2`, … for others) for as long as it exists, through
navigations and moves between processes; keys are never used again. A frame's *document* is the pair of execution
contexts that scripts of the page and the agent run in; it changes with every navigation.
"""

from __future__ import annotations

from typing import Any

import trio

from kapture.cdp import CdpSession, PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.page.agent_calls import AgentCalls, DocumentGoneError
from kapture.page.frame import AGENT_WORLD, WORLDS, Document, Frame, Home, World
from kapture.page.read_gate import ReadGate

__all__ = ["AGENT_WORLD", "Document", "Frame", "FrameTree", "World"]


class FrameTree:
    """All frames of one tab."""

    def __init__(self, gate: ReadGate, calls: AgentCalls) -> None:
        self.gate = gate
        self.calls = calls
        self._frames: dict[str, Frame] = {}
        self._documents: dict[tuple[CdpSession, str, World], Document] = {}
        self._main: Frame | None = None
        self._last_key = 0
        self._changed = trio.Event()

    @property
    def main(self) -> Frame:
        """The tab's own frame."""
        if self._main is None:
            raise KaptureError(ErrorCode.DETACHED, "The tab has no page.")
        return self._main

    def all(self) -> list[Frame]:
        """Every frame, the main frame first, parents before their children."""
        return list(self._frames.values())

    def get(self, key: str) -> Frame:
        """The frame with this key; `REF_EXPIRED` when there is none (any more)."""
        for frame in self._frames.values():
            if frame.key == key:
                return frame
        raise KaptureError(
            ErrorCode.REF_EXPIRED,
            f"There is no frame {key} on the page now.",
            hint="Take a new snapshot: frames get new numbers when they are made anew.",
            data={"frame": key},
        )

    def find(self, name: str) -> Frame:
        """The one frame that a client means: its key, `main`, its name, or a part of its URL."""
        if name in {"", "main"}:
            return self.main
        frames = self.all()
        for matches in (
            [frame for frame in frames if frame.key == name],
            [frame for frame in frames if frame.name == name],
            [frame for frame in frames if frame.parent and frame.granted and name in frame.url],
        ):
            if len(matches) == 1:
                return matches[0]
            if matches:
                raise KaptureError(
                    ErrorCode.ELEMENT_AMBIGUOUS,
                    f"{len(matches)} frames match {name!r}: {', '.join(frame.key for frame in matches[:10])}.",
                    hint="Name the frame by its key.",
                    data={"frames": [{"frame": frame.key, "url": frame.url} for frame in matches[:10]]},
                )
        keys = [frame.key for frame in frames if frame.key]
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_FOUND,
            f"No frame matches {name!r}.",
            hint=f"Frames on the page: {', '.join(keys[:20])}." if keys else "The page has no frames.",
            data={"frames": keys[:20]},
        )

    def by_id(self, frame_id: str) -> Frame | None:
        """The frame with the browser's id."""
        return self._frames.get(frame_id)

    def top_of(self, session: CdpSession) -> Frame | None:
        """The outermost frame whose document answers on a session; for sessions without documents the main frame."""
        return next((frame for frame in self._frames.values() if frame.session is session), self._main)

    def known_document(self, frame: Frame, world: World) -> Document | None:
        """The current execution context of a frame, if it is there already."""
        return self._documents.get((frame.session, frame.id, world))

    @property
    def change(self) -> trio.Event:
        """Set when a frame or an execution context next comes, goes or navigates."""
        return self._changed

    async def changed(self) -> None:
        """Return when a frame or an execution context has come, gone or navigated."""
        await self._changed.wait()

    # What the browser tells. All of it is applied in the order in which it was sent.

    def observe(self, session: CdpSession) -> None:
        """Follow the events of one session."""
        session.on("Page.frameAttached", lambda p: self._attached(session, p["frameId"], p["parentFrameId"]))
        session.on("Page.frameNavigated", lambda p: self._navigated(session, p["frame"], p.get("type", "")))
        session.on("Page.documentOpened", lambda p: self._opened(session, p["frame"]))
        session.on("Page.navigatedWithinDocument", lambda p: self._moved(session, p["frameId"], p["url"]))
        session.on("Page.frameDetached", lambda p: self._detached(session, p["frameId"], p.get("reason", "remove")))
        session.on("Runtime.executionContextCreated", lambda p: self._created(session, p["context"]))
        session.on("Runtime.executionContextDestroyed", lambda p: self._destroyed(session, p["executionContextId"]))
        session.on("Runtime.executionContextsCleared", lambda _: self._destroyed(session, None))
        session.on("Inspector.targetCrashed", lambda _: self._crashed(session))

    @property
    def known(self) -> bool:
        """Whether the main frame has been told yet."""
        return self._main is not None

    def announce(self, session: CdpSession, frame_id: str, parent_id: str | None) -> None:
        """A process of its own has been found for a frame. Its parent is known by now; the frame may not be."""
        if frame := self._frames.get(frame_id):
            frame.claim(session)
        else:
            self._add(session, frame_id, self._frames.get(parent_id or ""))
        self._wake()

    def take(self, session: CdpSession, told: dict[str, Any]) -> None:
        """A frame tree as `Page.getFrameTree` gives it."""
        frame = told["frame"]
        parent = self._frames.get(frame.get("parentId", ""))
        known = self._frames.get(frame["id"]) or self._add(session, frame["id"], parent)
        if parent is not None and known is not self._main:
            known.parent = parent
        known.arrive(frame, session)
        for child in told.get("childFrames", ()):
            self.take(session, child)
        self._wake()

    def take_reply(self, session: CdpSession, reply: PendingReply) -> None:
        """The answer to `Page.getFrameTree`; a failed one says nothing."""
        if reply.error is None:
            self.take(session, reply.value()["frameTree"])

    def leave(self, session: CdpSession) -> None:
        """A child session has ended. Frames that are nowhere else went with it."""
        for frame in self.all():
            if not frame.detached and not frame.leave(session) and frame.parent is not None:
                self._remove(frame)
        self._destroyed(session, None)

    def _add(self, session: CdpSession, frame_id: str, parent: Frame | None) -> Frame:
        if parent is None and self._main is None:
            key = ""
        else:
            self._last_key += 1
            key = f"f{self._last_key}"
        frame = Frame(self, frame_id, key, parent or self._main, Home(session))
        self._frames[frame_id] = frame
        if key == "":
            self._main = frame
        return frame

    def _attached(self, session: CdpSession, frame_id: str, parent_id: str) -> None:
        known = self._frames.get(frame_id)
        if self._main is None:
            return  # the frame tree, which has been asked for, will tell
        if known is not None:
            known.claim(session)  # back from another process
        else:
            self._add(session, frame_id, self._frames.get(parent_id))
        self._wake()

    def _navigated(self, session: CdpSession, told: dict[str, Any], kind: str) -> None:
        frame = self._frames.get(told["id"])
        if self._main is None and "parentId" in told:
            return
        if frame is None:
            parent = self._frames.get(told.get("parentId", ""))
            if parent is None and self._main is not None:
                # A prerendered page has taken the tab over: it brings its own frame.
                frame, self._main.id = self._main, told["id"]
                self._frames = {told["id"]: frame}
            else:
                frame = self._add(session, told["id"], parent)
        # Frames in other processes are taken away by the end of their sessions; those of a page that comes back from
        # the back/forward cache may have been announced before the page itself.
        for child in frame.children:
            if child.session is session:
                self._remove(child)
        if kind != "BackForwardCacheRestore":  # contexts of a restored page are told before this
            self._forget_documents(session, frame.id)
        frame.claim(session)
        frame.arrive(told, session)
        if kind == "BackForwardCacheRestore":
            # Frames of a restored page are not announced.
            session.submit("Page.getFrameTree").then(lambda reply: self.take_reply(session, reply))
        self._wake()

    def _opened(self, session: CdpSession, told: dict[str, Any]) -> None:
        self._moved(session, told["id"], told["url"])

    def _moved(self, session: CdpSession, frame_id: str, url: str) -> None:
        if frame := self._frames.get(frame_id):
            frame.home_in(session).url = url
            self._wake()

    def _detached(self, session: CdpSession, frame_id: str, reason: str) -> None:
        frame = self._frames.get(frame_id)
        if frame is None or frame.parent is None:
            return
        self._forget_documents(session, frame_id)
        if reason == "swap":
            frame.leave(session)  # to a process that has been announced, or will be at once
        else:
            self._remove(frame)
        self._wake()

    def _remove(self, frame: Frame) -> None:
        for child in frame.children:
            self._remove(child)
        frame.detached = True
        for document in tuple(self._documents.values()):
            if document.frame_id == frame.id:
                self._end(document)
        if self._frames.get(frame.id) is frame:
            del self._frames[frame.id]

    def _forget_documents(self, session: CdpSession, frame_id: str) -> None:
        for world in WORLDS:
            if document := self._documents.get((session, frame_id, world)):
                self._end(document)

    def _created(self, session: CdpSession, context: dict[str, Any]) -> None:
        told = context.get("auxData") or {}
        frame_id = told.get("frameId")
        if frame_id is None:
            return
        if told.get("isDefault"):
            world: World = "main"
        elif context.get("name") == AGENT_WORLD:
            world = "kapture"
        else:
            return
        if before := self._documents.get((session, frame_id, world)):
            self._end(before)
        self._documents[session, frame_id, world] = Document(
            frame_id, world, session, context["uniqueId"], context["id"]
        )
        self._wake()

    def _destroyed(self, session: CdpSession, number: int | None) -> None:
        """One context of a session, or all of them."""
        for document in tuple(self._documents.values()):
            if document.session is session and number in (None, document.number):
                self._end(document)
        self._wake()

    def _end(self, document: Document) -> None:
        key = (document.session, document.frame_id, document.world)
        if self._documents.get(key) is document:
            del self._documents[key]
        document.session.connection.pending.fail_context(document.unique_id, DocumentGoneError())

    def _crashed(self, session: CdpSession) -> None:
        for frame in self.all():
            if frame.session is session:
                frame.crashed = True
        error = KaptureError(ErrorCode.DETACHED, "The page crashed.", hint="Reload it or navigate.")
        session.connection.pending.fail_session(session, error)
        self._destroyed(session, None)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()
