"""Waiting, in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import trio
import trio.testing

from kapture.errors import ErrorCode
from tests.support.context import Tab, open_tab
from tests.support.script_pages import PAGES
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(dict(PAGES)) as served:
        yield served


async def change_soon(tab: Tab) -> None:
    await tab.page.evaluate("setTimeout(() => postMessage(1), 150) && 0")


@pytest.mark.parametrize(
    "wish",
    [
        {"selector": "#new"},
        {"selector": "#hid"},
        {"selector": "#old", "state": "gone"},
        {"selector": "#old", "state": "hidden"},
        {"target": {"text": "Brand new"}},
        {"text": "brand NEW"},
        {"text_gone": "Old"},
        {"selector": "#hid", "text": "Deep", "text_gone": "Old", "url": "*/later"},
    ],
)
async def test_waiting_ends_when_the_page_is_as_asked(browser: int, site: Site, wish: dict[str, Any]) -> None:
    async with open_tab(browser, site.url("/later")) as tab:
        await change_soon(tab)
        answer = await tab.data("wait_for", timeout=20_000, **wish)
        assert (await tab.data("wait_for", **wish))["seen"] == answer["seen"], "it holds, so it is answered at once"


async def test_waiting_says_what_it_saw_when_it_gives_up(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/later")) as tab:
        error = await tab.gives_up("wait_for", selector="#hid", with_data="seen")
        assert error.code is ErrorCode.COMMAND_TIMEOUT
        assert "matches css '#hid', hidden" in error.message
        error = await tab.gives_up("wait_for", text="never", url="*/later", with_data="seen")
        assert error.data["unmet"] == ["the text 'never' is not shown"]
        assert "the URL is" in error.data["seen"][0]


async def test_waiting_goes_on_through_navigations(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab.page.evaluate("setTimeout(() => location.href = '/moved', 200) && 0")
        assert (await tab.data("wait_for", selector="#there", timeout=20_000))["element"]["tag"] == "p"
        await tab.page.evaluate("setTimeout(() => location.hash = 'x', 200) && 0")
        await tab("wait_for", url="*#x", timeout=20_000)


async def test_waiting_sees_frames_that_come_later(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/moved")) as tab:
        frame = site.url("/inner", host="localhost")
        code = f"document.body.insertAdjacentHTML('beforeend', '<iframe src={frame}></iframe>')"
        await tab.page.evaluate(f"setTimeout(() => {code}, 200) && 0")
        assert (await tab.data("wait_for", selector="#deep", timeout=20_000))["element"]["ref"].startswith("f")


@pytest.mark.parametrize(
    "code",
    [
        "document.body.innerHTML = `<style>@keyframes show { to { visibility: visible } }"
        "#c { visibility: hidden; animation: show 0s 0.3s forwards }</style><b id=c>Here</b>`",
        "setTimeout(() => document.styleSheets[0].deleteRule(0), 1500)",
        "document.body.attachShadow({mode: 'open'}).append(document.createElement('i'));"
        "setTimeout(() => { document.body.shadowRoot.firstChild.innerHTML = '<b>Here</b>' }, 100)",
    ],
    ids=["animation", "style sheet", "shadow root"],
)
async def test_waiting_sees_what_changes_no_node_of_the_document(browser: int, site: Site, code: str) -> None:
    site.pages["/still"] = "<style>#b { display: none }</style><b id=b>Here</b>"
    async with open_tab(browser, site.url("/still")) as tab:
        await tab.page.evaluate(f"setTimeout(() => {{ {code} }}, 100) && 0")
        await tab("wait_for", text="Here", timeout=20_000)


async def test_waiting_for_quiet_and_for_downloads(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        held = threading.Event()
        site.pages["/held"] = Page("", wait=held)
        await tab.page.evaluate("void fetch('/held').then(() => window.fetched = 1)")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(tab, "wait_for", network_idle=True))
            await trio.testing.wait_all_tasks_blocked()
            held.set()
        assert (await tab.data("evaluate", code="window.fetched"))["value"] == 1
        error = await tab.fails("wait_for", download=True, timeout=1000)
        assert "no download has started" in error.message
        await tab.page.evaluate("location.href = '/file', 0")
        answer = (await tab.data("wait_for", download=True))["download"]
        assert (answer["filename"], answer["state"], answer["bytes"]) == ("a.bin", "completed", 300)


async def test_a_wait_that_is_cancelled_leaves_the_tab_usable(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/later")) as tab:
        async with trio.open_nursery() as nursery:
            for wish in ({"selector": "#new"}, {"text": "Brand new"}, {"network_idle": True, "url": "*never"}):
                nursery.start_soon(partial(tab, "wait_for", **wish))
            await trio.testing.wait_all_tasks_blocked(0.05)
            nursery.cancel_scope.cancel()
        await change_soon(tab)
        await tab("wait_for", selector="#new", timeout=20_000)


async def test_commands_work_in_a_tab_in_the_background(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/later")) as tab, open_tab(browser, site.url("/")) as front:
        await front.page.connection.root.send("Page.bringToFront")
        assert "Old" in await tab.text("get_text")
        await change_soon(tab)
        await tab("wait_for", text="Brand new", timeout=20_000)
        assert (await tab.data("navigate", url=site.url("/moved")))["title"] == "Moved"
        assert (await tab.data("evaluate", code="await new Promise(requestAnimationFrame); 1"))["value"] == 1
        assert (await tab.data("go_back"))["title"] == "Later"
