"""Making Chromium draw a tab that is hidden, without showing it to anybody."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from kapture.cdp import CdpSession


@asynccontextmanager
async def force_rendering(root: CdpSession) -> AsyncIterator[None]:
    """The tab is drawn, frame after frame, for the length of the block."""
    started = root.submit(
        "Page.startScreencast",
        {"format": "jpeg", "quality": 1, "maxWidth": 16, "maxHeight": 16, "everyNthFrame": 1},
    )
    try:
        yield
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(5):
            await root.send("Page.stopScreencast")
            await started.wait()
