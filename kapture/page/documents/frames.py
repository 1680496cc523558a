"""The frames of a tab, in all their processes, as reported by the browser.

A frame keeps its key (`""` for the main frame, `f1`, `f2`, … for others) for as long as it exists, through
navigations and moves between processes; keys are never reused.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from kapture.cdp import CdpSession, PendingReply
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.documents.frame import Agent, ExecutionContext, ExecutionContexts, Frame, FrameHost, with_shown
from kapture.page.documents.read_gate import EVERY_SITE, NOBODY, ReadGate, names_no_site


def frame_named(name: str, frames: Sequence[Frame]) -> Frame:
    """The one of these frames with this key, or else this name, or else a URL that contains it.

    Raises `ELEMENT_AMBIGUOUS` or `ELEMENT_NOT_FOUND` with the frames that there are. Names and URLs outside the grant
    are not compared: whether one matches would tell what it is.
    """
    keyed = [frame for frame in frames if frame.key == name]
    granted = [frame for frame in frames if frame.granted] if not keyed else []
    for matches in (
        keyed,
        [frame for frame in granted if frame.name == name],
        [frame for frame in granted if frame.parent and name in frame.url],
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
    outside = " Frames outside the grant are named by their keys alone." if len(granted) < len(frames) else ""
    raise KaptureError(
        ErrorCode.ELEMENT_NOT_FOUND,
        f"No frame matches {name!r}.",
        hint=f"Frames on the page: {', '.join(keys[:20])}.{outside}" if keys else "The page has no frames.",
        data={"frames": keys[:20]},
    )


DocumentNote = tuple[str, str, str]
"""Frame id, loader id, and the URL that decides about the document; `NOBODY` if its process has not reported it yet."""


class DocumentNotes:
    """The notes of one tab."""

    def __init__(self) -> None:
        self._open: list[list[DocumentNote]] = []

    @contextmanager
    def during(self) -> Iterator[list[DocumentNote]]:
        """Note every new document during the block."""
        notes: list[DocumentNote] = []
        self._open.append(notes)
        try:
            yield notes
        finally:
            self._open = [one for one in self._open if one is not notes]

    def came(self, frame: Frame) -> None:
        """A frame shows a new document."""
        for notes in self._open:
            notes.append((frame.id, frame.loader_id, frame.policy_url))

    def announced(self, frame_id: str) -> None:
        """A frame has a process of its own, which has not reported its document yet."""
        for notes in self._open:
            notes.append((frame_id, "", NOBODY))


_OBJECT_ID = re.compile(r"-?[0-9]+\.([0-9]{1,10})\.[0-9]+")
_WEB = ("http:", "https:", "file:")


class SessionDocuments:
    """Asks the gate about the documents of a session. An unknown document is not granted."""

    def __init__(self, frames: FrameTree, gate: ReadGate, session: CdpSession) -> None:
        self._frames = frames
        self._gate = gate
        self._session = session

    @property
    def any_site(self) -> bool:
        """Whether the tab is granted any site, policy closes none, and its current documents are web pages."""
        return self._gate(EVERY_SITE) and all(
            frame.granted for frame in self._frames.all() if frame.policy_url.startswith(_WEB)
        )

    def covers(self, url: str) -> bool:
        """Whether the grant covers a URL that names a site."""
        return not names_no_site(url) and self._gate(url)

    @property
    def top_granted(self) -> bool:
        """Whether the outermost document of the session is granted."""
        top = self._frames.top_of(self._session)
        return top is not None and top.session is self._session and top.granted

    @property
    def all_granted(self) -> bool:
        """Whether every document of the session is granted."""
        inside = self._inside()
        return bool(inside) and all(frame.granted for frame in inside)

    def frame_granted(self, frame_id: object) -> bool:
        """Whether the document of the frame with this CDP id is granted."""
        frame = self._frames.by_id(frame_id) if isinstance(frame_id, str) else None
        return frame is not None and frame.granted

    def context_granted(self, context: object) -> bool:
        """Whether an execution context, by number or unique id, is the main world of a granted document."""
        known = self._frames.context_of_page(self._session, context)
        frame = self._frames.by_id(known.frame_id) if known is not None else None
        if known is None or frame is None or not frame.granted:
            return False
        # A process may report a context before, or without, which document the frame shows.
        return not known.origin.startswith("http") or known.origin == frame.origin or self._gate(f"{known.origin}/")

    def unique_context(self, context: object | None) -> str | None:
        """The unique id of an execution context, by number or unique id; None: the main world of the outermost
        document. None if there is no such context."""
        if context is not None:
            known = self._frames.context_of_page(self._session, context)
        else:
            top = self._frames.top_of(self._session)
            known = top.current_context("main") if top is not None and top.session is self._session else None
        return known.context_id if known is not None else None

    def object_granted(self, object_id: object) -> bool:
        """Whether a remote object's context is the main world of a granted document; its id is
        `isolate.context.object`."""
        match = _OBJECT_ID.fullmatch(object_id) if isinstance(object_id, str) else None
        return match is not None and self.context_granted(int(match[1]))

    def _inside(self) -> list[Frame]:
        return [frame for frame in self._frames.all() if frame.session is self._session]


_INITIAL = frozenset({"", ":", "about:blank"})
"""Addresses of a frame's initial empty document; Chromium writes `:` for that of a window."""

_MOST_LEFT = 200  # of the frames that have been removed with their session


class FrameTree:
    """All frames of one tab."""

    def __init__(self, gate: ReadGate, agent: Agent) -> None:
        self.changed = Changed()
        """Notified when a frame or an execution context is added, removed or navigates."""
        self.only_root_session = False  # whether frames that move to another process get none there
        self._gate, self._agent = gate, agent
        self._contexts = ExecutionContexts(self.changed, self._document_came)
        self.notes = DocumentNotes()
        self._document_watchers: list[Callable[[Frame], None]] = []
        self._frames: dict[str, Frame] = {}
        self._left: dict[str, tuple[str, ...]] = {}
        """Return the documents of frames that were removed with their session, by CDP id: they may come back in
        another."""
        self._main: Frame | None = None
        self._last_key, self._has_opener = 0, False
        self._opened: deque[str | None] = deque(maxlen=100)  # the latest loads that clients began

    @property
    def main(self) -> Frame:
        """The tab's own frame."""
        if self._main is None:
            raise KaptureError(ErrorCode.DETACHED, "The tab has no page.")
        return self._main

    @property
    def initial(self) -> bool:
        """Whether the tab shows the empty document that it has before its first navigation."""
        return self._main is not None and self._main.initial

    def all(self) -> list[Frame]:
        """Every frame, the main frame first, parents before their children."""
        return list(self._frames.values())

    def get(self, key: str) -> Frame:
        """The frame with this key; `REF_EXPIRED` if there is none, or none any more."""
        for frame in self._frames.values():
            if frame.key == key:
                return frame
        if int(key.removeprefix("f") or 0) > self._last_key:
            raise KaptureError(
                ErrorCode.REF_EXPIRED,
                f"There has never been a frame {key} on this tab.",
                hint=Wording("{Look}, and use a {ref} that it shows."),
                data={"frame": key, "never": True},
            )
        raise KaptureError(
            ErrorCode.REF_EXPIRED,
            f"There is no frame {key} on the page now.",
            hint=Wording("{Look}: a frame that is created again gets a new number."),
            data={"frame": key},
        )

    def find(self, name: str) -> Frame:
        """The one frame that a client names by its key, `main`, its name, or a part of its URL."""
        return self.main if name in {"", "main"} else frame_named(name, self.all())

    def by_id(self, frame_id: str) -> Frame | None:
        """The frame with this CDP id."""
        return self._frames.get(frame_id)

    def top_of(self, session: CdpSession) -> Frame | None:
        """The outermost frame of a session's documents; for sessions without documents the main frame."""
        return next((frame for frame in self._frames.values() if frame.session is session), self._main)

    def context_of_page(self, session: CdpSession, context: object) -> ExecutionContext | None:
        """The execution context of a session with this number or unique id, if it is the main world of a document."""
        return self._contexts.of_page(session, context)

    # Events of the browser, applied in the order in which they were sent.

    def observe(self, session: CdpSession) -> None:
        """Subscribe to the events of one session."""
        self._contexts.observe(session)
        session.on("Page.frameAttached", lambda p: self._attached(session, p["frameId"], p["parentFrameId"]))
        session.on("Page.frameNavigated", lambda p: self._navigated(session, p["frame"], p.get("type", "")))
        session.on("Page.documentOpened", lambda p: self._moved(session, p["frame"]["id"], p["frame"]["url"]))
        session.on("Page.navigatedWithinDocument", lambda p: self._moved(session, p["frameId"], p["url"]))
        session.on("Page.frameDetached", lambda p: self._detached(session, p["frameId"], p.get("reason", "remove")))
        session.on("Inspector.targetCrashed", lambda _: self._crashed(session))
        session.on("Runtime.executionContextCreated", lambda p: self._context_created(session, p["context"]))

    @contextmanager
    def watching_documents(self, came: Callable[[Frame], None]) -> Iterator[None]:
        """As `follow_documents`, during the block."""
        self.follow_documents(came)
        try:
            yield
        finally:
            self._document_watchers.remove(came)

    def follow_documents(self, came: Callable[[Frame], None]) -> None:
        """Call `came` with each frame whose new document has its agent."""
        self._document_watchers.append(came)

    def _document_came(self, frame_id: str) -> None:
        for came in tuple(self._document_watchers) if frame_id in self._frames else ():
            came(self._frames[frame_id])

    @property
    def known(self) -> bool:
        """Whether the main frame is known."""
        return self._main is not None

    def announce(self, session: CdpSession, target: dict[str, Any]) -> None:
        """Note that a frame, known or not, has a process of its own, from CDP's `TargetInfo`. Its parent is known."""
        frame_id = target["targetId"]
        if frame := self._frames.get(frame_id):
            host = frame.attach(session)
        else:
            parent_id = target.get("parentFrameId") or target.get("parentId") or ""
            host = self._add(session, frame_id, self._frames.get(parent_id)).host
        host.announce(target["url"])
        self.notes.announced(frame_id)
        self.changed.notify()

    def take(self, session: CdpSession, tree: dict[str, Any]) -> None:
        """Add the frames of a tree as `Page.getFrameTree` returns it."""
        frame = tree["frame"]
        parent = self._frames.get(frame.get("parentId", ""))
        known = self._frames.get(frame["id"]) or self._add(session, frame["id"], parent)
        if parent is not None and known is not self._main:
            known.move_to(parent)
        self._commit(known, frame, session)
        self._contexts.page_came(session)
        if known.current_context() is not None:
            self._document_came(known.id)  # before its frame was known, or shown
        for child in tree.get("childFrames", ()):
            self.take(session, child)
        self.changed.notify()

    def opened(self, answer: Mapping[str, Any]) -> None:
        """Note the answer to a `Page.navigate` of a client's, before or after the document is reported."""
        self._opened.append(answer.get("loaderId"))
        self._note_who_opened()

    def take_target(self, reply: PendingReply) -> None:
        """Note from the answer to `Target.getTargetInfo` whether a page has opened the tab."""
        self._has_opener = reply.error is None and "openerId" in reply.value().get("targetInfo", {})
        self._note_who_opened()

    def take_reply(self, session: CdpSession, reply: PendingReply) -> None:
        """Add the frames in the answer to `Page.getFrameTree`, if it did not fail."""
        if reply.error is None:
            self.take(session, reply.value()["frameTree"])

    def leave(self, session: CdpSession) -> None:
        """Remove a child session that has ended, and the frames that exist only there."""
        for frame in self.all():
            if not frame.detached and not frame.detach(session) and frame.parent is not None:
                left = (frame.id, with_shown(frame.shown, frame.creator))
                self._left = dict([*self._left.items(), left][-_MOST_LEFT:])
                self._remove(frame)
        self._contexts.end_session(session)

    def _add(self, session: CdpSession, frame_id: str, parent: Frame | None) -> Frame:
        key = ""
        if parent is not None or self._main is not None:
            self._last_key += 1
            key = f"f{self._last_key}"
        above = parent or self._main
        shown = self._left.get(frame_id, ())
        frame = Frame(self._agent, self._contexts, self._gate, frame_id, key, None, FrameHost(session), shown=shown)
        self._frames[frame_id] = frame
        if above is not None:
            frame.move_to(above)
        if key == "":
            self._main = frame
        return frame

    def _attached(self, session: CdpSession, frame_id: str, parent_id: str) -> None:
        known = self._frames.get(frame_id)
        if self._main is None:
            return  # it is in the frame tree, which has been requested
        if known is not None:
            known.attach(session)  # it has moved back from another process
        else:
            self._add(session, frame_id, self._frames.get(parent_id))
        self.changed.notify()

    def _navigated(self, session: CdpSession, info: dict[str, Any], kind: str) -> None:
        frame = self._frames.get(info["id"])
        if self._main is None and "parentId" in info:
            return
        if frame is None:
            parent = self._frames.get(info.get("parentId", ""))
            if parent is None and self._main is not None:
                # A prerendered page has replaced the tab's page: it has its own main frame.
                frame, self._main.id = self._main, info["id"]
                for child in tuple(frame.children):
                    self._remove(child)
                self._frames = {info["id"]: frame}
            else:
                frame = self._add(session, info["id"], parent)
        self._contexts.page_came(session)
        # Frames in other processes are removed when their sessions end; those of a page that is restored from the
        # back/forward cache may have been announced before the page itself.
        for child in tuple(frame.children):
            if child.session is session:
                self._remove(child)
        restored = kind == "BackForwardCacheRestore"  # its contexts are reported before this, its frames never
        initial = frame.host_in(session).url in _INITIAL
        if not restored and not initial:
            self._contexts.end_document(session, frame.id)
        frame.attach(session)
        self._commit(frame, info, session)
        if restored:
            session.submit("Page.getFrameTree").then(lambda reply: self.take_reply(session, reply))
        elif initial:
            origin = info.get("securityOrigin", "")
            of_maker = info["url"].startswith("about:") and origin == "://"  # Chromium says so of its maker's too
            self._contexts.end_initial_document(session, frame.id, None if of_maker else origin)
        self.changed.notify()

    def _commit(self, frame: Frame, info: dict[str, Any], session: CdpSession) -> None:
        frame.commit(info, session)
        self._note_who_opened()
        self.notes.came(frame)

    def _note_who_opened(self) -> None:
        if self._main is not None:
            host = self._main.host
            host.opened, host.in_opened_tab = host.loader_id in self._opened, self._has_opener

    def _context_created(self, session: CdpSession, context: dict[str, Any]) -> None:
        """A context was created, with its document's origin: the first event of a prerendered page that takes over."""
        details = context.get("auxData") or {}
        frame = self._frames.get(details.get("frameId", "")) if details.get("isDefault") else None
        if frame is not None and frame.created_by(context.get("origin", ""), session):
            self.notes.came(frame)
        if self._main is None or session is not self._main.session or not details.get("isDefault"):
            return
        if details.get("frameId") not in self._frames:
            session.submit("Page.getFrameTree").then(lambda reply: self._taken_over(session, reply))

    def _taken_over(self, session: CdpSession, reply: PendingReply) -> None:
        if reply.error is None and (frame := reply.value()["frameTree"]["frame"])["id"] != self.main.id:
            # Like a restored page it has its contexts already, and its frames are not announced. Followers of the tab
            # must be notified as for any other document.
            session.dispatch("Page.frameNavigated", {"frame": frame, "type": "BackForwardCacheRestore"})

    def _moved(self, session: CdpSession, frame_id: str, url: str) -> None:
        if frame := self._frames.get(frame_id):
            frame.host_in(session).url = url
            self.changed.notify()

    def _detached(self, session: CdpSession, frame_id: str, reason: str) -> None:
        if (frame := self._frames.get(frame_id)) is None or frame.parent is None:
            return
        self._contexts.end_document(session, frame_id)
        if reason == "swap":  # it moves to a process that has been announced, or will be at once
            frame.host.out_of_reach = not frame.detach(session) and self.only_root_session
        else:
            self._remove(frame)
        self.changed.notify()

    def _remove(self, frame: Frame) -> None:
        for child in tuple(frame.children):
            self._remove(child)
        frame.detached = True
        if frame.parent is not None and frame in frame.parent.children:
            frame.parent.children.remove(frame)
        self._contexts.end_frame(frame.id)
        if self._frames.get(frame.id) is frame:
            del self._frames[frame.id]

    def _crashed(self, session: CdpSession) -> None:
        for frame in self.all():
            if frame.session is session:
                frame.crashed = True
        error = KaptureError(ErrorCode.DETACHED, "The page crashed.", hint="Reload it or navigate.")
        session.connection.pending.fail_session(session, error)
        self._contexts.end_session(session)
