"""A tab's screencast: makes Chromium draw a hidden tab, and provides pictures to viewers who watch it live.

Chromium keeps one screencast per session. So all users share this one: it runs while somebody watches or forces the tab
to be drawn, in the largest size that is watched, and taking a picture meanwhile does not stop it (a picture requested
in the same message as a stop would never come).

Chromium sends a frame when the page has changed, keeps at most a few that are not acknowledged, and drops further ones,
even the last one of an animation. Restarting the screencast brings the page's current picture.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio

from kapture.cdp import CdpSession, PendingReply
from kapture.cdp.program import Json
from kapture.changed import Changed
from kapture.errors import KaptureError

# Nobody uses these frames, each of which would be encoded and sent.
TINY = {"format": "jpeg", "quality": 1, "maxWidth": 16, "maxHeight": 16, "everyNthFrame": 100_000}
_QUALITY = 60
_TALLEST = 3  # times the width
_UNFORCED_S = 0.034
"""The time of two frames: a tab that is drawn anyway has been drawn by then. A screencast would cost another frame."""
_HELD = 2
"""Unacknowledged frames from which on Chromium may have dropped some."""
_QUIET_S = 0.3
"""Time without a frame after that, until the last one is fetched by a restart."""


@attrs.frozen(kw_only=True)
class LiveFrame:
    """One picture, JPEG in base64. `width` and `height` are those of the viewport, in CSS pixels."""

    number: int
    base64: str
    width: float
    height: float


@attrs.define(eq=False)
class Viewer:
    """One viewer. `width` is the widest picture it can use, in image pixels."""

    _screencast: Screencast
    width: int
    _seen: int = 0

    async def next(self) -> LiveFrame:
        """Wait for a picture that this viewer has not had; returns the latest. A slow viewer misses some."""
        while (frame := self._screencast.latest) is None or frame.number <= self._seen:
            await self._screencast.wait()
        self._seen = frame.number
        self._screencast.acknowledge()
        return frame


class Screencast:
    """The screencast of one tab."""

    def __init__(self, root: CdpSession) -> None:
        self.latest: LiveFrame | None = None
        self._root = root
        self._viewers: set[Viewer] = set()
        self._forced = 0
        self._running: Mapping[str, Any] | None = None
        self._unacknowledged: list[int] = []
        self._dropped = False
        self._fetching = False  # a restart brings several frames at once, none of which is dropped
        self._count = 0
        self._arrived = Changed()
        self._restarting = trio.Lock()
        root.on("Page.screencastFrame", self._frame)

    @property
    def watched(self) -> bool:
        """Whether anybody watches it."""
        return bool(self._viewers)

    @asynccontextmanager
    async def force_rendering(self) -> AsyncIterator[None]:
        """Have the tab drawn, frame after frame, during the block."""
        started = None
        self._forced += 1
        if self._running is None:
            self._running = TINY
            started = self._root.submit("Page.startScreencast", TINY)
        try:
            yield
        finally:
            self._forced -= 1
            with trio.CancelScope(shield=True), trio.move_on_after(5):
                await self._apply()
                if started is not None:
                    await started.wait()

    async def when_drawn(self, reply: PendingReply) -> Json:
        """Wait for the reply to a command that the browser answers after drawing the tab; forces it to be drawn if
        necessary."""
        with trio.move_on_after(_UNFORCED_S):
            return await reply.wait()
        async with self.force_rendering():
            return await reply.wait()

    @asynccontextmanager
    async def watch(self, width: int) -> AsyncIterator[Viewer]:
        """Pictures up to this width, for the duration of the block. Raises if the browser or the grant refuses."""
        viewer = Viewer(self, width)
        self._viewers.add(viewer)
        try:
            await self._apply()
            yield viewer
        finally:
            self._viewers.discard(viewer)
            with trio.CancelScope(shield=True), trio.move_on_after(5):
                await self._apply()

    async def wait(self) -> None:
        """Return when a frame may have come. Fetches the last one if Chromium may have dropped it."""
        arrived = self._arrived.upcoming
        if self._dropped:
            with trio.move_on_after(_QUIET_S):
                await arrived.wait()
                return
            self._dropped = False
            self._fetching = True
            await self._apply(anew=True)
        await arrived.wait()

    def acknowledge(self) -> None:
        """Acknowledge the latest frame and those before it: Chromium may send more."""
        self._dropped = len(self._unacknowledged) >= _HELD and not self._fetching
        self._fetching = False
        for number in self._unacknowledged:
            self._root.submit("Page.screencastFrameAck", {"sessionId": number})
        self._unacknowledged.clear()

    def _wanted(self) -> Mapping[str, Any] | None:
        if self._viewers:
            width = max(viewer.width for viewer in self._viewers)
            return {"format": "jpeg", "quality": _QUALITY, "maxWidth": width, "maxHeight": width * _TALLEST}
        return TINY if self._forced else None

    async def _apply(self, *, anew: bool = False) -> None:
        async with self._restarting:
            wanted = self._wanted()
            if wanted == self._running and not (anew and wanted):
                return
            self._unacknowledged.clear()
            if wanted != self._running:
                self.latest = None  # it has the old size
            self._running = wanted
            try:
                if wanted is None:
                    await self._root.send("Page.stopScreencast")
                else:
                    await self._root.send("Page.startScreencast", wanted)
            except KaptureError:
                self._running = None
                raise

    def _frame(self, params: dict[str, Any]) -> None:
        if not self._viewers:
            return
        self._count += 1
        about = params["metadata"]
        self.latest = LiveFrame(
            number=self._count,
            base64=params["data"],
            width=about["deviceWidth"],
            height=about["deviceHeight"],
        )
        self._unacknowledged.append(params["sessionId"])
        self._arrived.notify()
