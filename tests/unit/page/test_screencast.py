"""One screencast a tab, shared by who watches and by who needs the tab drawn; the last change is never lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest
import trio

from kapture.cdp import CdpSession
from kapture.errors import ErrorCode, KaptureError
from kapture.page.screencast import LiveFrame, Screencast


class Root:
    """A root session that notes what it is sent, and answers at once."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Mapping[str, Any]]] = []
        self.refuses = False
        self._handler: Callable[[dict[str, Any]], None] = lambda _: None

    def on(self, method: str, handler: Callable[[dict[str, Any]], None]) -> None:
        assert method == "Page.screencastFrame"
        self._handler = handler

    def submit(self, method: str, params: Mapping[str, Any] | None = None) -> Root:
        self.sent.append((method.removeprefix("Page."), params or {}))
        return self

    async def wait(self) -> dict[str, Any]:
        await trio.lowlevel.checkpoint()
        return {}

    async def send(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        if self.refuses:
            raise KaptureError(ErrorCode.POLICY_DENIED, "no")
        self.submit(method, params)
        return await self.wait()

    def frame(self, number: int) -> None:
        size = {"deviceWidth": 1280, "deviceHeight": 720}
        self._handler({"data": f"picture {number}", "sessionId": number, "metadata": size})

    @property
    def casts(self) -> list[str]:
        return [
            f"{method} {params.get('maxWidth', '')}".strip()
            for method, params in self.sent
            if method.endswith("Screencast")
        ]


@pytest.fixture
def root() -> Root:
    return Root()


@pytest.fixture
def screencast(root: Root) -> Screencast:
    return Screencast(cast("CdpSession", root))


async def test_a_picture_taken_while_somebody_watches_stops_nothing(root: Root, screencast: Screencast) -> None:
    async with screencast.watch(480):
        async with screencast.force_rendering():
            assert root.casts == ["startScreencast 480"]
        assert root.casts == ["startScreencast 480"]
    assert root.casts == ["startScreencast 480", "stopScreencast"]


async def test_viewer_leaving_during_screenshot_keeps_tab_drawn(root: Root, screencast: Screencast) -> None:
    async with screencast.force_rendering():
        async with screencast.watch(480):
            pass
        assert root.casts == ["startScreencast 16", "startScreencast 480", "startScreencast 16"]
    assert root.casts[-1] == "stopScreencast"


async def test_the_widest_viewer_decides_the_size(root: Root, screencast: Screencast) -> None:
    async with screencast.watch(480), screencast.watch(1280):
        pass
    assert root.casts == ["startScreencast 480", "startScreencast 1280", "startScreencast 480", "stopScreencast"]


async def test_a_slow_viewer_gets_the_latest_picture_and_acknowledges_all(root: Root, screencast: Screencast) -> None:
    async with screencast.watch(480) as viewer:
        root.frame(7)
        root.frame(8)
        frame = await viewer.next()
        assert frame == LiveFrame(number=2, base64="picture 8", width=1280, height=720)
        acknowledged = [params["sessionId"] for method, params in root.sent if method == "screencastFrameAck"]
        assert acknowledged == [7, 8]
