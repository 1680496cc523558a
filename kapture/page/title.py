"""The title of the main frame's current document, as its agent reports it."""

from __future__ import annotations

from typing import Any

from kapture.cdp import CdpSession
from kapture.changed import Changed
from kapture.page.documents.frames import FrameTree

TITLE_BINDING = "kaptureTitle"
"""The binding that the agent calls with each new title; see kapture/page/agent/read/document.js."""


class Title:
    """`text` is empty until the document has reported a title."""

    def __init__(self, frames: FrameTree) -> None:
        self.text = ""
        self.changed = Changed()
        self._frames = frames

    def observe(self, root: CdpSession) -> None:
        """Subscribe to the events of the tab's root session."""
        root.on("Runtime.bindingCalled", self._called)
        root.on("Page.frameNavigated", self._navigated)

    def _called(self, params: dict[str, Any]) -> None:
        # A document that is being replaced may still report a title: ignore it.
        context = self._frames.main.current_context() if self._frames.known else None
        if params["name"] == TITLE_BINDING and context is not None and params["executionContextId"] == context.number:
            self.text = str(params["payload"])
            self.changed.notify()

    def _navigated(self, params: dict[str, Any]) -> None:
        if not params["frame"].get("parentId"):
            self.text = ""
