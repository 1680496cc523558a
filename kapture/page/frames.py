"""The frames of a tab, in whichever processes they live, as the browser's events tell.

A frame keeps its key (`""` for the main frame, `f1`, `f2`, … for others) for as long as it exists, through
navigations and moves between processes; keys are never used again. A frame's *document* is the pair of execution
contexts that scripts of the page and the agent run in; it changes with every navigation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

import attrs
import trio

from kapture.cdp import CdpSession, Reply
from kapture.errors import ErrorCode, KaptureError
from kapture.page.agent_calls import AgentCalls

World: TypeAlias = Literal["main", "kapture"]

AGENT_WORLD: World = "kapture"
WORLDS: tuple[World, ...] = ("main", "kapture")

_INHERITING = ("", "about", "data", "blob", "javascript")


@attrs.frozen(eq=False)
class Document:
    """One execution context: a world of one document of a frame. `unique_id` is the browser's `uniqueContextId`."""

    frame_id: str
    world: World
    session: CdpSession
    unique_id: str
    number: int


@attrs.define(eq=False)
class Frame:
    """One frame. `session` is the CDP session that its document answers on."""

    tree: FrameTree
    id: str
    key: str
    parent: Frame | None
    session: CdpSession
    url: str = ""
    name: str = ""
    loader_id: str = ""
    content_type: str = ""
    detached: bool = False
    crashed: bool = False
    top_ref: int = 0
    """The highest ref number given out in this frame so far, in any of its documents."""
    adopted_in: str = ""
    """The parent's agent context that knows this frame's key."""
    _origin: str = ""
    _came_from: str = ""

    @property
    def policy_url(self) -> str:
        """The URL whose grant covers this document: its own, or, for `about:`, `data:` and `blob:`, its origin's."""
        if self.inherits:
            return self._came_from or (self.parent.policy_url if self.parent else self.url)
        return self.url

    @property
    def inherits(self) -> bool:
        """Whether the document's own URL names no site."""
        return urlsplit(self.url).scheme in _INHERITING

    @property
    def granted(self) -> bool:
        """Whether the call in progress may read this document."""
        return self.tree.gate(self.policy_url)

    @property
    def children(self) -> list[Frame]:
        """The frames right in this one, in the order in which they came."""
        return [frame for frame in self.tree.all() if frame.parent is self]

    def ancestors(self) -> Iterator[Frame]:
        """Parents, nearest first."""
        frame = self.parent
        while frame is not None:
            yield frame
            frame = frame.parent

    def ref(self, number: int) -> str:
        """A ref of this frame, as clients write it: `e12`, `f2e12`."""
        return f"{self.key}e{number}"

    def check_granted(self) -> None:
        """`POLICY_DENIED` when the document is outside the grant."""
        if not self.granted:
            place = urlsplit(self.policy_url)
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"{'The page' if self.parent is None else f'Frame {self.key}'} is at {place.netloc or place.scheme},"
                " which this tab's grant does not cover.",
                hint="Ask the person to extend the grant in the Kapture panel of that tab.",
                data={"site": place.netloc or place.scheme},
            )

    async def call(
        self, function: str, args: Mapping[str, Any] | None = None, *, retry: bool = False, gated: bool = True
    ) -> Any:
        """Call a function of the agent in this frame's current document; its value, decoded from JSON.

        The agent's `AgentError` arrives as the `KaptureError` it names. When the document goes away meanwhile the
        error is `DETACHED`; with `retry`, for calls that only read, the next document is asked instead. Only calls
        that tell nothing of the document's contents may be made without asking the gate.
        """
        return await self.tree.calls.call(self, function, args or {}, retry=retry, gated=gated)

    async def document(self, world: World = AGENT_WORLD) -> Document:
        """The execution context of the current document, waited for when it is still being made."""
        return await self.tree.calls.document(self, world)

    def arrive(self, told: dict[str, Any], session: CdpSession) -> None:
        """A new document: the `frame` of `Page.frameNavigated` or of the frame tree."""
        before = self.policy_url
        self.session = session
        self.url = told["url"] + told.get("urlFragment", "")
        self.name = told.get("name", "")
        self.loader_id = told["loaderId"]
        self.content_type = told.get("mimeType", "")
        self.crashed = False
        self._came_from = _source(self.url, told.get("securityOrigin", ""), before) if self.inherits else ""


def _source(url: str, origin: str, before: str) -> str:
    """Where a document without a site of its own comes from; empty when only its parent can tell."""
    if url.startswith("blob:http"):
        return url.removeprefix("blob:")
    if origin.startswith("http"):
        return origin + "/"
    return before if urlsplit(before).scheme not in _INHERITING else ""


class FrameTree:
    """All frames of one tab."""

    def __init__(self, gate: Callable[[str], bool], calls: AgentCalls) -> None:
        self.gate = gate
        self.calls = calls
        self._frames: dict[str, Frame] = {}
        self._documents: dict[tuple[str, World], Document] = {}
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
        return self._documents.get((frame.id, world))

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
        session.on("Page.documentOpened", lambda p: self._opened(p["frame"]))
        session.on("Page.navigatedWithinDocument", lambda p: self._moved(p["frameId"], p["url"]))
        session.on("Page.frameDetached", lambda p: self._detached(session, p["frameId"], p.get("reason", "remove")))
        session.on("Runtime.executionContextCreated", lambda p: self._created(session, p["context"]))
        session.on("Runtime.executionContextDestroyed", lambda p: self._destroyed(session, p["executionContextId"]))
        session.on("Runtime.executionContextsCleared", lambda _: self._destroyed(session, None))
        session.on("Inspector.targetCrashed", lambda _: self._crashed(session))

    def take(self, session: CdpSession, told: dict[str, Any]) -> None:
        """A frame tree as `Page.getFrameTree` gives it."""
        frame = told["frame"]
        parent = self._frames.get(frame.get("parentId", ""))
        known = self._frames.get(frame["id"]) or self._add(session, frame["id"], parent)
        known.arrive(frame, session)
        for child in told.get("childFrames", ()):
            self.take(session, child)
        self._wake()

    def take_reply(self, session: CdpSession, reply: Reply) -> None:
        """The answer to `Page.getFrameTree`; a failed one says nothing."""
        if reply.error is None:
            self.take(session, reply.value()["frameTree"])

    def leave(self, session: CdpSession) -> None:
        """A child session has ended. Frames that have not moved elsewhere went with it."""
        self._destroyed(session, None)
        for frame in self.all():
            if frame.session is session and frame.parent is not None:
                self._remove(frame)
        self._wake()

    def _add(self, session: CdpSession, frame_id: str, parent: Frame | None) -> Frame:
        if parent is None and self._main is None:
            key = ""
        else:
            self._last_key += 1
            key = f"f{self._last_key}"
        frame = Frame(self, frame_id, key, parent or self._main, session)
        self._frames[frame_id] = frame
        if key == "":
            self._main = frame
        return frame

    def _attached(self, session: CdpSession, frame_id: str, parent_id: str) -> None:
        known = self._frames.get(frame_id)
        if known is not None:
            known.session = session  # back from another process
        else:
            self._add(session, frame_id, self._frames.get(parent_id))
        self._wake()

    def _navigated(self, session: CdpSession, told: dict[str, Any], kind: str) -> None:
        frame = self._frames.get(told["id"])
        if frame is None:
            parent = self._frames.get(told.get("parentId", ""))
            if parent is None and self._main is not None:
                # A prerendered page has taken the tab over: it brings its own frame.
                frame, self._main.id = self._main, told["id"]
                self._frames = {told["id"]: frame}
            else:
                frame = self._add(session, told["id"], parent)
        for child in frame.children:
            self._remove(child)
        if kind != "BackForwardCacheRestore":  # contexts of a restored page are told before this
            self._forget_documents(frame.id)
        frame.arrive(told, session)
        if kind == "BackForwardCacheRestore":
            # Frames of a restored page are not announced.
            session.submit("Page.getFrameTree").then(lambda reply: self.take_reply(session, reply))
        self._wake()

    def _opened(self, told: dict[str, Any]) -> None:
        if frame := self._frames.get(told["id"]):
            frame.url = told["url"]
            self._wake()

    def _moved(self, frame_id: str, url: str) -> None:
        if frame := self._frames.get(frame_id):
            frame.url = url
            self._wake()

    def _detached(self, session: CdpSession, frame_id: str, reason: str) -> None:
        frame = self._frames.get(frame_id)
        if frame is None or frame.parent is None:
            return
        self._forget_documents(frame_id, session)
        if reason != "swap":
            self._remove(frame)
        self._wake()

    def _remove(self, frame: Frame) -> None:
        for child in frame.children:
            self._remove(child)
        frame.detached = True
        self._forget_documents(frame.id)
        if self._frames.get(frame.id) is frame:
            del self._frames[frame.id]

    def _forget_documents(self, frame_id: str, session: CdpSession | None = None) -> None:
        for world in WORLDS:
            document = self._documents.get((frame_id, world))
            if document is not None and session in (None, document.session):
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
        if before := self._documents.get((frame_id, world)):
            self._end(before)
        self._documents[frame_id, world] = Document(frame_id, world, session, context["uniqueId"], context["id"])
        self._wake()

    def _destroyed(self, session: CdpSession, number: int | None) -> None:
        """One context of a session, or all of them."""
        for document in tuple(self._documents.values()):
            if document.session is session and number in (None, document.number):
                self._end(document)
        self._wake()

    def _end(self, document: Document) -> None:
        if self._documents.get((document.frame_id, document.world)) is document:
            del self._documents[document.frame_id, document.world]
        self.calls.document_gone(document.unique_id)

    def _crashed(self, session: CdpSession) -> None:
        for frame in self.all():
            if frame.session is session:
                frame.crashed = True
        session.fail_pending(KaptureError(ErrorCode.DETACHED, "The page crashed.", hint="Reload it or navigate."))
        self._destroyed(session, None)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()
