"""The document that the main frame is waiting for: a server has been asked for it, and has not answered yet.

Until it has, Chromium keeps back all commands for the document that is still shown
(`RenderFrameDevToolsAgentHost::DidStartNavigation` in content/browser/devtools suspends the sessions): scripts do not
run, nothing can be read, and what was sent meanwhile reaches the new document, or none. A page that waits so is not
busy, and stopping the load brings it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio

from kapture.cdp import CdpSession
from kapture.changed import Changed
from kapture.page.documents.frames import FrameTree

SAME_DOCUMENT = frozenset({"sameDocument", "historySameDocument"})
"""The types of navigation, as the browser reports them, that keep the document."""

_LATE_S = 1.0
"""A document that has been left for longer answers nothing that it was asked when it was left."""


class AwaitedDocument:
    """`url` is the document's; None while the main frame waits for none."""

    def __init__(self, frames: FrameTree) -> None:
        self.url: str | None = None
        self._changed = Changed()
        self._frames = frames
        self._request_id = ""
        self._asked: set[trio.CancelScope] = set()

    def observe(self, root: CdpSession) -> None:
        """Subscribe to the events of the tab's root session."""
        root.on("Page.frameStartedNavigating", self._started)
        root.on("Network.requestWillBeSent", self._requested)
        root.on("Network.loadingFailed", self._failed)
        root.on("Page.frameNavigated", self._navigated)
        root.on("Page.frameStoppedLoading", self._stopped)
        root.on("Page.downloadWillBegin", self._ended)
        root.on("Inspector.targetCrashed", self._ended)

    async def over(self) -> None:
        """Return once the main frame waits for no document."""
        while self.url is not None:
            await self._changed.wait()

    @contextmanager
    def asked_in_time(self) -> Iterator[trio.CancelScope]:
        """For what asks the document about an action that may have led away from it: the block is given up, which the
        scope tells, a while after the main frame has begun to wait for another document."""
        scope = trio.CancelScope()
        if self.url is not None:
            scope.deadline = trio.current_time() + _LATE_S
        self._asked.add(scope)
        try:
            with scope:
                yield scope
        finally:
            self._asked.discard(scope)

    def _started(self, params: dict[str, Any]) -> None:
        if params.get("navigationType") not in SAME_DOCUMENT:
            self._begin(params, params.get("loaderId", ""), params["url"])

    def _requested(self, params: dict[str, Any]) -> None:
        """Note where it is redirected to; the extension passes no request of a document outside the grant."""
        if params.get("type") == "Document":
            self._begin(params, params["requestId"], params["request"]["url"])

    def _begin(self, params: dict[str, Any], request_id: str, url: str) -> None:
        """`request_id`: that of the document's request, which equals its loader id."""
        if self._is_main(params):
            self._request_id, self.url = request_id, url
            for scope in self._asked:
                scope.deadline = min(scope.deadline, trio.current_time() + _LATE_S)

    def _failed(self, params: dict[str, Any]) -> None:
        if params["requestId"] == self._request_id:
            self._ended(params)

    def _navigated(self, params: dict[str, Any]) -> None:
        if not params["frame"].get("parentId"):
            self._ended(params)

    def _stopped(self, params: dict[str, Any]) -> None:
        if self._is_main(params):
            self._ended(params)

    def _ended(self, params: dict[str, Any]) -> None:
        self.url = None
        for scope in self._asked:
            scope.deadline = float("inf")
        self._changed.notify()

    def _is_main(self, params: dict[str, Any]) -> bool:
        return self._frames.known and params.get("frameId") == self._frames.main.id
