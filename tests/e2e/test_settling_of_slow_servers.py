"""An action that leads to a page whose server does not answer: the tab can be used all the same."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import trio
import trio.testing

from tests.support.context import Tab, open_tab
from tests.support.site import Page, Site

pytestmark = pytest.mark.e2e


@pytest.fixture
def held(site: Site) -> Iterator[threading.Event]:
    """Set by the test when the server of the link on the page is to answer."""
    answers = threading.Event()
    site.pages["/slow"] = Page("<title>Slow</title>", wait=answers)
    site.pages["/start"] = "<title>Start</title><a id=x href=/slow>Slow</a>"
    site.pages["/other"] = "<title>Other</title>"
    yield answers
    answers.set()


async def _follow_the_link(tab: Tab, site: Site, **more: str) -> str:
    """The answer of a click on the link, which gets as much time as a loaded machine needs."""
    await tab("navigate", url=site.url("/start"))
    answer = await tab.text("click", selector="#x", timeout=5_000, **more)
    assert f"still loading {site.url('/slow')}" in answer
    return answer


async def test_the_action_says_so_within_its_time_and_that_the_page_cannot_be_read(
    browser: int, site: Site, held: threading.Event
) -> None:
    async with open_tab(browser, site.url("/start")) as tab:
        assert "The page cannot be read until its server has answered" in await _follow_the_link(
            tab, site, snapshot="diff"
        )
        assert "cannot be read" not in await _follow_the_link(tab, site, snapshot="none")


async def test_code_that_is_sent_meanwhile_runs_in_the_page_that_comes(
    browser: int, site: Site, held: threading.Event
) -> None:
    async with open_tab(browser, site.url("/start")) as tab:
        await _follow_the_link(tab, site)
        values = []

        async def evaluate() -> None:
            values.append((await tab.data("evaluate", code="document.title"))["value"])

        async with trio.open_nursery() as nursery:
            nursery.start_soon(evaluate)
            await trio.testing.wait_all_tasks_blocked()
            held.set()
        assert values == ["Slow"]


async def test_a_box_that_leads_there_is_ticked(browser: int, site: Site, held: threading.Event) -> None:
    site.pages["/filter"] = "<label><input type=checkbox onchange='location.href = \"/slow\"'>Red</label>"
    async with open_tab(browser, site.url("/filter")) as tab:
        answer = await tab.text("fill", target={"label": "Red"}, value=True, timeout=5_000)
        assert "filled" in answer
        assert f"still loading {site.url('/slow')}" in answer


async def test_the_tab_can_be_led_to_another_page_at_once(browser: int, site: Site, held: threading.Event) -> None:
    async with open_tab(browser, site.url("/start")) as tab:
        await _follow_the_link(tab, site)
        assert (await tab.data("navigate", url=site.url("/other")))["title"] == "Other"
        assert (await tab.data("evaluate", code="document.title"))["value"] == "Other"
