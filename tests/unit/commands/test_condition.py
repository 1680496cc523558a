"""What a wait observes of a page that leaves the grant while it waits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock

from kapture.commands.waiting import WaitCondition
from kapture.errors import PolicyDenied
from kapture.page import Page
from kapture.page.documents.frame import Frame
from kapture.page.downloads import Downloads
from tests.unit.page.frame_world import World


class Waiting:
    """A wait on a tab whose events the test sends."""

    def __init__(self, **wanted: Any) -> None:
        self.world = World()
        downloads = Downloads(self.world.tree)
        downloads.observe(self.world.connection.root)
        gate = lambda url: "secret" not in url  # noqa: E731  a fake of one line
        page = cast("Page", SimpleNamespace(frames=self.world.tree, downloads=downloads, gate=gate))
        given: dict[str, Any] = {"text": None, "url": None, "awaits_download": False, **wanted}
        self.condition = WaitCondition(
            page=page,
            spec=None,
            state="visible",
            text_gone=None,
            network_idle=False,
            reported_downloads=set(),
            **given,
        )

    async def look(self) -> list[tuple[bool, str]]:
        with trio.move_on_after(1):
            await self.condition.until_met()
        return self.condition.last

    def download(self, frame: str, url: str) -> None:
        begun = {"frameId": frame, "guid": "d1", "url": url, "suggestedFilename": "statement of Ann.pdf"}
        self.world.event("Page.downloadWillBegin", **begun)
        self.world.event("Page.downloadProgress", guid="d1", state="completed")


@pytest.mark.parametrize(("glob", "met"), [("*token*", False), ("https://secret.example/*", True)])
async def test_the_address_of_a_page_outside_the_grant_is_neither_shown_nor_guessed(
    glob: str, met: bool, autojump_clock: MockClock
) -> None:
    waiting = Waiting(url=glob)
    waiting.world.navigate("M", "https://secret.example/back?token=1", None, origin="https://secret.example")
    assert await waiting.look() == [(met, "the URL is https://secret.example/")]


async def test_a_download_of_a_frame_outside_the_grant_is_not_waited_for(autojump_clock: MockClock) -> None:
    waiting = Waiting(awaits_download=True)
    waiting.world.attach("A")
    waiting.world.navigate("A", "https://secret.example/", origin="https://secret.example")
    waiting.download("A", "https://a.example/f")
    assert await waiting.look() == [(False, "no download has started")]


async def test_a_download_is_left_to_a_later_wait_until_one_is_met(autojump_clock: MockClock) -> None:
    waiting = Waiting(awaits_download=True, url="*/done")
    waiting.download("M", "https://a.example/f")
    assert [met for met, _ in await waiting.look()] == [False, True]
    assert waiting.condition.reported_downloads == set()
    waiting.world.event("Page.navigatedWithinDocument", frameId="M", url="https://a.example/done")
    assert [met for met, _ in await waiting.look()] == [True, True]
    assert waiting.condition.reported_downloads == {"d1"}


async def test_of_a_download_that_comes_from_outside_the_grant_only_the_site_is_shown(
    autojump_clock: MockClock,
) -> None:
    waiting = Waiting(awaits_download=True)
    waiting.download("M", "https://secret.example/statement?token=1")
    assert await waiting.look() == [(True, "the download https://secret.example/… is complete")]


async def test_a_frame_that_leaves_the_grant_while_it_is_looked_at_does_not_end_the_wait(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = Waiting(text="Welcome")
    waiting.world.attach("A")
    waiting.world.navigate("A", "https://a.example/inner", origin="https://a.example")
    asked: list[tuple[str, str]] = []

    async def call(frame: Frame, function: str, args: Any = None, **_: Any) -> Any:
        asked.append((frame.key, function))
        if frame.parent is not None:
            waiting.world.navigate("A", "https://secret.example/", origin="https://secret.example")
            frame.check_granted()
        return {"attached": 0, "visible": 0, "first": None, "texts": [function == "seeChange"]}

    monkeypatch.setattr(Frame, "call", call)
    assert await waiting.look() == [(True, "the text 'Welcome' is shown")]
    main, inner = (frame.key for frame in waiting.world.tree.all())
    assert asked == [(main, "see"), (inner, "see"), (main, "seeChange")]


async def test_a_watched_frame_that_leaves_the_grant_does_not_end_the_wait(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = Waiting(text="Welcome")
    waiting.world.attach("A")
    waiting.world.navigate("A", "https://a.example/inner", origin="https://a.example")
    left = trio.Event()

    async def call(frame: Frame, function: str, args: Any = None, **_: Any) -> Any:
        if function == "seeChange" and frame.parent is not None:
            waiting.world.navigate("A", "https://secret.example/", origin="https://secret.example")
            left.set()
            frame.check_granted()
        if function == "seeChange":
            await trio.sleep_forever()
        return {"attached": 0, "visible": 0, "first": None, "texts": [left.is_set()]}

    monkeypatch.setattr(Frame, "call", call)
    assert await waiting.look() == [(True, "the text 'Welcome' is shown")]


async def test_a_wait_for_a_text_ends_when_the_page_leaves_the_grant(autojump_clock: MockClock) -> None:
    waiting = Waiting(text="Welcome")
    waiting.world.leave()
    with pytest.raises(PolicyDenied):
        await waiting.look()
