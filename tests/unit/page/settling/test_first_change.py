"""The first effect of timers is waited for, with no browser."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from trio.testing import MockClock

from kapture.cdp import CdpConnection
from kapture.errors import ErrorCode, KaptureError
from kapture.page.downloads import Downloads
from kapture.page.settling.settle import Watch
from tests.support.cdp_transports import SilentTransport


async def test_a_document_that_cannot_be_watched_ends_the_wait(autojump_clock: MockClock) -> None:
    def begin(*_: Any) -> None:
        raise KaptureError(ErrorCode.TAB_BUSY, "Too much waits to be sent.")

    async def came_before() -> bool:
        return False

    main = SimpleNamespace(id="M", url="https://a.example/", ask=None, granted=True, why_silent="", begin=begin)
    frames: Any = SimpleNamespace(main=main, all=lambda: [main])
    page: Any = SimpleNamespace(
        frames=frames,
        connection=CdpConnection(SilentTransport()),
        downloads=Downloads(frames),
        gate=lambda _: True,
        children_connect=False,
    )
    assert await Watch(page, thorough=False).first_change(60, came_before)
