"""What a test leaves in the tab that a file's tests share is gone before the next."""

from __future__ import annotations

import pytest
import trio

from kapture.cdp import CdpConnection
from tests.support.direct import close, new_tab, targets
from tests.support.patience import evaluate, until
from tests.support.shared_tab import SharedTab

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


async def test_what_a_test_leaves_is_gone_for_the_next(tab: SharedTab, browser: int) -> None:
    async with tab.blank() as page:
        new = await evaluate(page, LEFT)
        await page.root.send("Page.enable", {})
        await page.root.send("Page.addScriptToEvaluateOnNewDocument", {"source": "window.injected = 1"})
        size = {"width": 333, "height": 333, "deviceScaleFactor": 1, "mobile": False}
        await page.root.send("Emulation.setDeviceMetricsOverride", size)
        await press_a_key(page)
        await evaluate(page, LEAVE)
        left = await evaluate(page, LEFT)
    changed = {key for key in left if left[key] != new.get(key)}
    assert changed == {"text", "title", "name", "left", "history", "width"}
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
        shown = (await page.root.send("Target.getTargetInfo", {}))["targetInfo"]["targetId"]
    await close(browser, shown)

    async def closed() -> bool:
        return all(one["id"] != shown for one in await targets(browser))

    await until(closed, "the end of the tab")
    async with tab.blank() as page:
        assert await evaluate(page, LEFT) == new
