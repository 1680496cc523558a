"""Where the tab is after a navigation, as far as a client may know."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock

from kapture.commands.files import interruption
from kapture.commands.forms import FieldResult, none_filled
from kapture.commands.navigation import arrived
from kapture.commands.tabs import TabInfo, tab_info
from kapture.commands.waiting import WaitCondition
from kapture.errors import ErrorCode, PolicyDenied
from kapture.page import Page
from kapture.page.documents.frame import Frame
from kapture.page.downloads import Downloads
from tests.support.context import View, on_hub
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World


async def test_list_tabs_shows_what_is_granted() -> None:
    row = {
        "tabId": "abcd2345",
        "title": 'A "title", with\nlines',
        "url": "https://a.example/",
        "grant": {"sites": ["a.example"], "level": "interact"},
    }
    result = await on_hub("list_tabs", View(rows=[row]))
    assert "abcd2345" in result.text
    assert "interact on a.example" in result.text
    assert len(result.text.splitlines()) == 2, "a title cannot make lines of its own"
    assert result.data == {"tabs": [row]}


async def test_frame_outside_grant_is_listed_by_origin_only(autojump_clock: MockClock) -> None:
    world = World()
    for frame_id, url in (("A", "https://b.example/own"), ("B", "https://secret.example/account?token=1")):
        world.attach(frame_id)
        world.navigate(frame_id, url)
    page = {"dialogs": SimpleNamespace(current=None), "recording": SimpleNamespace(active=False)}
    tab: Any = tab_of(world, **page)
    tab.tab_id = "abcd2345"
    state = await tab_info(tab, TabInfo())
    assert [(one.frame, one.url, one.granted) for one in state.frames] == [
        ("f1", "https://b.example/own", True),
        ("f2", "https://secret.example", False),
    ]


# Where the tab is after a navigation, as far as a client may know.


async def test_page_outside_grant_is_described_by_origin_only() -> None:
    world = World()
    world.navigate("M", "https://secret.example/account?token=1", None)
    world.run_scripts()
    dialogs = SimpleNamespace(current=None, policy="ask")
    found = await arrived(tab_of(world, dialogs=dialogs, downloads=SimpleNamespace(get=lambda _: None)), None)
    assert (found.url, found.title) == ("https://secret.example", None)
    assert found.note == "This site is outside the tab's grant: the page cannot be read."


# Why a download was interrupted.


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("SERVER_BAD_CONTENT", "the server does not have the file, as with HTTP status 404 (SERVER_BAD_CONTENT)"),
        ("CRASH", "CRASH"),
        ("the connection or the page has gone", "the connection or the page has gone"),
        ("", "no reason given"),
        (None, "no reason given"),
    ],
)
def test_chromes_reason_is_said_in_words_with_its_name(reason: str | None, words: str) -> None:
    assert interruption(reason) == words


# What a wait observes of a page that leaves the grant while it waits.


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


async def test_download_from_outside_grant_is_shown_by_site_only(
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


# Errors of forms that could not be filled.


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (1, "No element matches css '#a'."),
        (2, "None of the 2 fields could be filled. The first error: No element matches css '#a'."),
    ],
)
def test_a_form_of_one_field_fails_in_the_words_of_its_field(number: int, message: str) -> None:
    error = {"code": "ELEMENT_NOT_FOUND", "message": "No element matches css '#a'.", "hint": "Look again."}
    failed = none_filled([FieldResult(field=f"field {at}", filled=False, error=error) for at in range(number)])
    assert (failed.code, failed.message, failed.hint) == (ErrorCode.ELEMENT_NOT_FOUND, message, "Look again.")
    assert [row["field"] for row in failed.data["fields"]] == [f"field {at}" for at in range(number)]
