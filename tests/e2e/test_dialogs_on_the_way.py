"""Dialogs that open while a tab goes from page to page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.patience import until
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e


PAGES = {
    "/": "<title>Home</title>",
    "/alert": "<title>Alert</title><script>alert('Read me')</script>",
    "/editor": "<title>Editor</title><script>onbeforeunload = event => event.preventDefault()</script><input>",
}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(PAGES) as served:
        yield served


async def test_a_dialog_on_the_way_is_reported_at_once_and_can_be_answered(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        error = await tab.fails("navigate", url=site.url("/alert"))
        assert error.code is ErrorCode.DIALOG_OPEN
        assert error.data["dialog"]["message"] == "Read me"
        assert (await tab.fails("navigate", url=site.url("/"))).code is ErrorCode.DIALOG_OPEN
        assert await tab.text("handle_dialog") == "accepted alert 'Read me'"
        assert (await tab.data("navigate", url=site.url("/")))["title"] == "Home"


async def test_the_answer_to_the_expected_dialog_shows_what_it_changed(browser: int, site: Site) -> None:
    site.pages["/ask"] = (
        "<button onclick=\"p.textContent = confirm('Sure?') ? 'Order placed' : 'Order kept'\">Order</button><p id=p>"
    )
    async with open_tab(browser, site.url("/ask")) as tab:
        await tab.text("snapshot")
        assert "confirm" in await tab.text("click", selector="button")
        error = await tab.fails("handle_dialog", message="Ship it?")
        assert error.data["dialog"]["message"] == "Sure?"
        answer = await tab.text("handle_dialog", message="Sure?")
        assert answer.startswith("accepted confirm 'Sure?'")
        assert "Order placed" in answer


async def test_a_dialog_is_answered_by_policy_when_nobody_watches(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await tab("dialog_policy", policy="accept")
        assert (await tab.data("navigate", url=site.url("/alert")))["title"] == "Alert"


async def test_a_page_that_asks_before_it_is_left_waits_for_an_answer(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/editor")) as tab:
        await tab.page.evaluate("1")
        await tab.page.connection.root.send("Runtime.evaluate", {"expression": "1", "userGesture": True})
        error = await tab.fails("navigate", url=site.url("/"))
        assert error.code is ErrorCode.DIALOG_OPEN
        assert error.data["dialog"]["type"] == "beforeunload"
        await tab("handle_dialog", accept=False)
        assert tab.page.url == site.url("/editor")


async def test_a_dialog_of_the_browsers_own_is_named_and_left_and_the_page_notices_no_question(
    browser: int, site: Site
) -> None:
    site.pages["/secret"] = Page(status=401, headers={"WWW-Authenticate": 'Basic realm="Staff"'})
    site.pages["/rooms"] = (
        "<button onclick=\"fetch('/secret')\">Rooms</button><script>window.keys = [];"
        "for (const type of ['keydown', 'keyup']) addEventListener(type, (e) => keys.push(type + e.key), true)</script>"
    )
    async with open_tab(browser, site.url("/rooms")) as tab:
        await tab("click", selector="button")

        async def opened() -> bool | None:
            return await tab.page.browser_dialog.look() or None

        await until(opened, "the browser's question for a password")
        assert "/secret has no answer yet" in await tab.text("snapshot")
        assert "password" in await tab.text("tab_info")
        assert (await tab.fails("press", key="a")).code is ErrorCode.DIALOG_OPEN
        assert "passkey" in str(await tab.fails("click", selector="#nowhere", timeout=2_000))
        await tab("reload")
        assert "dialog of its own" not in await tab.text("press", key="b")
        assert await tab.text("evaluate", code="String(keys)") == "keydownb,keyupb"
        assert (await tab.fails("navigate", url=site.url("/secret"))).code is ErrorCode.NAVIGATION_FAILED
        assert tab.page.why_unopened is not None
        assert "password" in str(tab.page.why_unopened)
