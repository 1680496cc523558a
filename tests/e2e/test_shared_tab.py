"""What a test leaves in the tab that a file's tests share is gone before the next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
import trio

from kapture.cdp import CdpConnection
from tests.support.direct import close, new_tab, targets
from tests.support.patience import evaluate, until
from tests.support.shared_tab import SharedTab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

LEAVE = """
document.body.innerHTML = '<p>left</p>';
document.title = window.name = window.left = 'left';
history.pushState({ left: 1 }, '');
addEventListener('beforeunload', (event) => event.preventDefault());
"""
LEFT = """
({
  text: document.documentElement.innerText, title: document.title, name: window.name, left: window.left,
  injected: window.injected, history: [history.length, history.state], width: innerWidth,
  shown: document.visibilityState,
})
"""


@pytest.fixture
def tab(browser: int) -> SharedTab:
    return SharedTab(browser)


async def press_a_key(page: CdpConnection) -> None:
    """Without input of a person a page may not ask before it closes."""
    for kind in ("keyDown", "keyUp"):
        await page.root.send("Input.dispatchKeyEvent", {"type": kind, "key": "a", "text": "a"})


async def shown(page: CdpConnection) -> str:
    """Which tab it is."""
    return str((await page.root.send("Target.getTargetInfo", {}))["targetInfo"]["targetId"])


async def test_what_a_test_leaves_is_gone_for_the_next(tab: SharedTab, browser: int) -> None:
    async with tab.blank() as page:
        new = await evaluate(page, LEFT)
        await page.root.send("Page.enable", {})
        await page.root.send("Page.addScriptToEvaluateOnNewDocument", {"source": "window.injected = 1"})
        await press_a_key(page)
        await evaluate(page, LEAVE)
        left = await evaluate(page, LEFT)
    changed = {key for key in left if left[key] != new.get(key)}
    assert changed == {"text", "title", "name", "left", "history"}
    await new_tab(browser)  # in front of it
    before = len(await targets(browser))
    async with tab.blank() as page:
        assert await evaluate(page, LEFT) == new
        assert len(await targets(browser)) == before


async def test_a_dialog_that_a_test_leaves_open_is_gone_for_the_next(tab: SharedTab) -> None:
    async with tab.blank() as page:
        new = await evaluate(page, LEFT)
        opened = trio.Event()
        page.root.on("Page.javascriptDialogOpening", lambda _event: opened.set())
        await page.root.send("Page.enable", {})
        await evaluate(page, "setTimeout(() => alert('left')); 1")
        await opened.wait()
    async with tab.blank() as page:
        assert await evaluate(page, LEFT) == new


async def test_a_tab_that_has_closed_is_replaced(tab: SharedTab, browser: int) -> None:
    async with tab.blank() as page:
        new = await evaluate(page, LEFT)
        first = await shown(page)
    await close(browser, first)

    async def closed() -> bool:
        return all(one["id"] != first for one in await targets(browser))

    await until(closed, "the end of the tab")
    async with tab.blank() as page:
        assert await evaluate(page, LEFT) == new


async def load(page: CdpConnection, url: str) -> None:
    loaded = trio.Event()
    page.root.on("Page.loadEventFired", lambda _event: loaded.set())
    await page.root.send("Page.enable", {})
    await page.root.send("Page.navigate", {"url": url})
    await loaded.wait()


async def test_a_page_of_a_site_is_left_and_the_tab_used_again(tab: SharedTab, site: Site) -> None:
    site.pages["/"] = "<title>left</title><script>window.name = 'left'; history.pushState(1, '')</script>"
    async with tab.blank() as page:
        new, first = await evaluate(page, LEFT), await shown(page)
        await load(page, site.url())
    async with tab.blank() as page:
        assert await evaluate(page, LEFT) == new
        assert await shown(page) == first


async def test_a_tab_with_session_storage_is_replaced(tab: SharedTab, site: Site) -> None:
    site.pages["/"] = "<script>sessionStorage.left = 1</script>"
    async with tab.blank() as page:
        await load(page, site.url())
    async with tab.blank() as page:
        await load(page, site.url("/next"))
        assert await evaluate(page, "sessionStorage.length") == 0


async def resize(page: CdpConnection) -> None:
    size = {"width": 333, "height": 333, "deviceScaleFactor": 1, "mobile": False}
    await page.root.send("Emulation.setDeviceMetricsOverride", size)


async def open_another(page: CdpConnection) -> None:
    await evaluate(page, "window.open('about:blank'); 1")


@pytest.mark.parametrize("change", [resize, open_another])
async def test_a_tab_that_has_another_size_or_has_opened_one_is_replaced(
    tab: SharedTab, change: Callable[[CdpConnection], Awaitable[None]]
) -> None:
    async with tab.blank() as page:
        new, first = await evaluate(page, LEFT), await shown(page)
        await change(page)
    async with tab.blank() as page:
        assert await evaluate(page, LEFT) == new
        assert await shown(page) != first


async def test_a_tab_that_a_test_failed_in_is_replaced(tab: SharedTab) -> None:
    first = ""
    try:
        async with tab.blank() as page:
            first = await shown(page)
            raise ZeroDivisionError
    except* ZeroDivisionError:
        pass
    async with tab.blank() as page:
        assert await shown(page) != first


async def test_two_at_once_have_tabs_of_their_own(tab: SharedTab) -> None:
    async with tab.blank() as page, tab.blank() as other:
        assert await shown(page) != await shown(other)
        await evaluate(page, "document.title = 'one'")
        assert await evaluate(other, "document.title") == ""
