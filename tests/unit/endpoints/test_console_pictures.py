"""Pictures of tabs for a Console: one after the other, of granted pages alone, and marks in them."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from kapture.endpoints.console.pictures import Pictures
from kapture.endpoints.console.visible import why_no_picture
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client
from kapture.page import Page
from kapture.page.screencast import LiveFrame
from tests.unit.endpoints.console_socket import console
from tests.unit.hub.simulated import world

SHOP = {"sites": ["shop.example"], "level": "interact"}


async def test_a_tab_without_a_picture_says_why(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there, console(there) as page:
        await there.tab()
        await page.send(type="watch", tabs=["tab1", "nobody"])
        withheld = [await page.receive("withheld"), await page.receive("withheld")]
        assert {one["tabId"]: one["reason"] for one in withheld} == {
            "tab1": "This tab executes commands itself: there is no live picture of it.",
            "nobody": "The tab is not connected.",
        }


class Viewer:
    """A screencast's viewer that has as many pictures as it is asked for; with `changing` each is another one."""

    def __init__(self, *, changing: bool = True) -> None:
        self.taken = 0
        self.changing = changing
        self.width = 0

    async def next(self) -> LiveFrame:
        await trio.lowlevel.checkpoint()
        self.taken += 1
        drawn = str(self.taken) if self.changing or self.taken == 10 else "same"
        return LiveFrame(number=self.taken, base64=b64encode(drawn.encode()).decode(), width=800, height=600)


def _page(viewer: Viewer, *, granted: bool = True) -> Page:
    @asynccontextmanager
    async def watch(width: int) -> AsyncIterator[Viewer]:
        viewer.width = width
        yield viewer

    main = SimpleNamespace(granted=True)
    frames = SimpleNamespace(main=main, all=lambda: [main, SimpleNamespace(granted=granted)])
    return cast("Page", SimpleNamespace(screencast=SimpleNamespace(watch=watch), frames=frames))


async def test_the_next_picture_waits_until_the_last_one_is_drawn(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path) as there:
        await there.tab(url="https://shop.example/", grant=SHOP)
        viewer, sent = Viewer(), list[str | bytes]()

        async def send(message: str | bytes) -> None:
            sent.append(message)

        page = _page(viewer)
        monkeypatch.setattr(Pictures, "_page", lambda self, tab_id: page)
        client = Client(name="Kapture Console")
        pictures = Pictures(there.hub.state, client, there.nursery, send)
        await pictures.watch(["tab1"], None)
        await trio.sleep(5)
        assert viewer.taken == 1
        pictures.drawn("tab1", 1)
        await trio.sleep(5)
        assert viewer.taken == 2
        await pictures.watch([], None)
        pictures.drawn("tab1", 2)
        await trio.sleep(5)
        assert [json.loads(cast("bytes", one).split(b"\n")[0])["number"] for one in sent] == [1, 2]


async def test_a_page_with_a_frame_outside_the_grant_has_no_picture(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab(url="https://shop.example/", grant=SHOP)
        tab = there.hub.state.router.find("tab1")
        client = Client(name="Kapture Console")
        assert why_no_picture(there.hub.state, client, tab, _page(Viewer())) is None
        mixed = why_no_picture(there.hub.state, client, tab, _page(Viewer(), granted=False))
        assert mixed == "A part of this page is outside the grant."


async def test_the_picture_of_a_page_that_does_not_change_goes_with_its_grant(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path) as there:
        await there.tab(url="https://shop.example/", grant=SHOP)
        sent = list[str | bytes]()

        async def send(message: str | bytes) -> None:
            sent.append(message)

        page: Any = _page(Viewer())
        monkeypatch.setattr(Pictures, "_page", lambda self, tab_id: page)
        pictures = Pictures(there.hub.state, Client(name="Kapture Console"), there.nursery, send)
        await pictures.watch(["tab1"], None)
        await trio.testing.wait_all_tasks_blocked()
        assert len(sent) == 1  # it waits until this one is drawn
        page.frames.main.granted = False
        await pictures.refresh()
        assert json.loads(sent[-1])["reason"] == "A part of this page is outside the grant."
        pictures.drawn("tab1", 1)
        await pictures.refresh()
        await trio.sleep(5)
        assert len(sent) == 2
        page.frames.main.granted = True
        await pictures.refresh()
        await trio.testing.wait_all_tasks_blocked()
        assert isinstance(sent[-1], bytes)
        await pictures.watch([], None)


async def test_a_page_outside_the_grant_has_no_picture(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab(url="https://bank.example/", grant=SHOP)
        tab = there.hub.state.router.find("tab1")
        assert why_no_picture(there.hub.state, Client(name="Kapture Console"), tab, _page(Viewer())) is not None


class Marked:
    """A page in which elements are marked."""

    def __init__(self) -> None:
        self.shown: str | None = None
        self.highlight = self
        self.tools = SimpleNamespace(known=[])
        self.recording = SimpleNamespace(active=False)

    async def show(self, ref: str) -> None:
        await trio.lowlevel.checkpoint()
        if ref == "e404":
            raise KaptureError(ErrorCode.REF_EXPIRED, "It is gone.")
        self.shown = ref

    def hide(self) -> None:
        self.shown = None


async def test_what_a_console_points_at_is_marked_where_it_may_be_read(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab("tab1", url="https://shop.example/", grant=SHOP)
        await there.tab("tab2", url="https://shop.example/", grant=SHOP)
        await there.tab("tab3", url="https://bank.example/", grant=SHOP)
        pages = {tab_id: Marked() for tab_id in ("tab1", "tab2", "tab3")}
        for tab_id, page in pages.items():
            backend: Any = there.hub.state.router.find(tab_id).backend
            backend.__class__ = type("Backend", (backend.__class__,), {"current_page": page})

        async def shown() -> dict[str, str]:
            await trio.testing.wait_all_tasks_blocked()
            return {tab_id: page.shown for tab_id, page in pages.items() if page.shown is not None}

        async with console(there) as socket:
            await socket.send(type="highlight", tabId="tab1", ref="e5")
            assert await shown() == {"tab1": "e5"}
            await socket.send(type="highlight", tabId="tab1", ref="e404")
            await socket.send(type="highlight", tabId="tab2", ref="e7")
            assert await shown() == {"tab2": "e7"}
            for other in ({"tabId": "tab3", "ref": "e1"}, {"tabId": "nobody", "ref": "e1"}, {"tabId": "tab2"}):
                await socket.send(type="highlight", tabId="tab2", ref="e7")
                assert await shown() == {"tab2": "e7"}
                await socket.send(type="highlight", **other)
                assert await shown() == {}
            await socket.send(type="highlight", tabId="tab1", ref="e5")
            assert await shown() == {"tab1": "e5"}
        assert await shown() == {}, "a Console that has gone points at nothing"
