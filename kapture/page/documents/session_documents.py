"""Which documents of one CDP session are granted: a session holds every frame of its process, granted or not."""

from __future__ import annotations

import re

from kapture.cdp import CdpSession
from kapture.page.documents.frame import Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import EVERY_SITE, ReadGate, names_no_site

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
