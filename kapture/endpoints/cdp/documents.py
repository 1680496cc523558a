"""Which documents of a script's CDP session are granted, as far as the hub knows them."""

from __future__ import annotations

from collections.abc import Callable

from kapture.backends.backend import TabDocuments
from kapture.cdp import CdpSession
from kapture.page.documents.frames import SessionDocuments


class ScriptDocuments:
    """The documents of one session. An unknown document is not granted.

    `target_id` is that of a frame or worker with a session of its own; None: the tab's page.
    """

    def __init__(self, tab: Callable[[], TabDocuments | None], target_id: str | None = None) -> None:
        self._tab = tab
        self._target_id = target_id

    @property
    def any_site(self) -> bool:
        """Whether the tab is granted any site, policy closes none, and its current documents are web pages."""
        now = self._now()
        return now is not None and now.any_site

    @property
    def top_granted(self) -> bool:
        """Whether the outermost document of the session is granted."""
        now = self._now()
        return now is not None and now.top_granted

    @property
    def all_granted(self) -> bool:
        """Whether every document of the session is granted."""
        now = self._now()
        return now is not None and now.all_granted

    def covers(self, url: str) -> bool:
        """Whether the grant covers a URL that identifies a site."""
        now = self._now()
        return now is not None and now.covers(url)

    def frame_granted(self, frame_id: object) -> bool:
        """Whether the document of the frame with this CDP id is granted."""
        now = self._now()
        return now is not None and now.frame_granted(frame_id)

    def context_granted(self, context: object) -> bool:
        """Whether an execution context is the main world of a granted document."""
        now = self._now()
        return now is not None and now.context_granted(context)

    def unique_context(self, context: object | None) -> str | None:
        """The unique id of an execution context, or of the outermost document's main world; None if there is none."""
        now = self._now()
        return None if now is None else now.unique_context(context)

    def object_granted(self, object_id: object) -> bool:
        """Whether a remote object belongs to the main world of a granted document."""
        now = self._now()
        return now is not None and now.object_granted(object_id)

    def _now(self) -> SessionDocuments | None:
        tab = self._tab()
        if tab is None:
            return None
        return SessionDocuments(tab.frames, tab.gate, self._session(tab))

    def _session(self, tab: TabDocuments) -> CdpSession:
        """The hub's own session for the same documents; execution contexts have the same ids in every session."""
        main = tab.frames.main
        if self._target_id is None:
            return main.session
        frame = tab.frames.by_id(self._target_id)
        if frame is not None and frame.session is not main.session:
            return frame.session
        return CdpSession(main.session.connection, self._target_id)  # an empty session: no document of it is known
