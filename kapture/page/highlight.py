"""An element marked in the page for the person who looks at it, in the browser's overlay, which the page cannot see."""

from __future__ import annotations

from kapture.cdp import CdpSession
from kapture.errors import KaptureError
from kapture.page.documents.frame import expect_ref
from kapture.page.documents.frames import FrameTree
from kapture.page.input.mouse import in_the_tab

_INSIDE = {"r": 31, "g": 95, "b": 204, "a": 0.25}
_BORDER = {"r": 31, "g": 95, "b": 204, "a": 1}


class Highlight:
    """At most one per tab. `root` is the tab's own session."""

    def __init__(self, root: CdpSession, frames: FrameTree) -> None:
        self._root = root
        self._frames = frames
        self._shown = False

    async def show(self, ref: str) -> None:
        """Mark the element with this ref, instead of the previous one.

        `REF_EXPIRED` if it is gone, `POLICY_DENIED` if its frame is outside the grant: then nothing is marked.
        """
        try:
            x, y, width, height = await self._box(ref)
        except KaptureError:
            self.hide()
            raise
        quad = [x, y, x + width, y, x + width, y + height, x, y + height]
        mark = {"quad": quad, "color": _INSIDE, "outlineColor": _BORDER}
        self._shown = True
        await self._root.send_all([("DOM.enable", {}), ("Overlay.enable", {}), ("Overlay.highlightQuad", mark)])

    def hide(self) -> None:
        """Remove the mark, right before whatever is sent to the tab next."""
        if self._shown:
            self._shown = False
            self._root.submit("Overlay.hideHighlight", {})

    async def _box(self, ref: str) -> list[float]:
        """`[x, y, width, height]` in the tab's viewport."""
        key, number = expect_ref(ref)
        frame = self._frames.get(key)
        [box] = await in_the_tab(frame, [await frame.call("box", {"ref": number})])
        return box
