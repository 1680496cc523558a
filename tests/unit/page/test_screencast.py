"""One screencast a tab, shared by who watches and by who needs the tab drawn; the last change is never lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

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


async def test_who_stops_watching_while_a_picture_is_taken_leaves_the_tab_drawn(
    root: Root, screencast: Screencast
) -> None:
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


async def test_the_last_picture_is_fetched_anew_once_where_the_browser_may_have_dropped_it(
    root: Root, screencast: Screencast, autojump_clock: Any
) -> None:
    async with screencast.watch(480) as viewer, trio.open_nursery() as nursery:
        seen: list[str] = []

        async def look() -> None:
            while True:
                seen.append((await viewer.next()).base64)

        for number in (1, 2, 3):
            root.frame(number)
        nursery.start_soon(look)
        await trio.sleep(10)
        assert root.casts == ["startScreencast 480"] * 2
        root.frame(4)
        root.frame(5)
        await trio.sleep(10)
        assert seen == ["picture 3", "picture 5"]
        assert root.casts == ["startScreencast 480"] * 2
        nursery.cancel_scope.cancel()


async def test_a_screencast_that_was_refused_is_asked_for_again_by_the_next_viewer(
    root: Root, screencast: Screencast
) -> None:
    root.refuses = True
    with pytest.raises(KaptureError):
        async with screencast.watch(480):
            pass
    root.refuses = False
    async with screencast.watch(480):
        assert root.casts == ["startScreencast 480"]


async def test_frames_that_nobody_watches_are_not_kept(root: Root, screencast: Screencast) -> None:
    async with screencast.force_rendering():
        root.frame(1)
        await wait_all_tasks_blocked()
        assert screencast.latest is None
