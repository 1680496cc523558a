"""The URLs that a launched browser opens: however many, and however long each takes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.opened_urls import open_urls


class Browser:
    """Each tab takes `opens_s` to open, and each page `loads_s` to load."""

    def __init__(self, *, opens_s: float = 0, loads_s: float = 0) -> None:
        self.opens_s = opens_s
        self.loads_s = loads_s
        self.tabs = [SimpleNamespace(tab_id="first")]
        self.tabs_changed = Changed()
        self.connection = SimpleNamespace(closed=trio.Event())
        self.shown: dict[str, str] = {}
        self.refuses: Callable[[str], bool] = lambda url: False

    async def open_tab(self, url: str, *, beside: str | None, background: bool) -> str:
        await trio.sleep(self.opens_s)
        if self.connection.closed.is_set():
            raise KaptureError(ErrorCode.DETACHED, "The browser was lost.")
        tab_id = f"tab{len(self.tabs)}"
        self.tabs.append(SimpleNamespace(tab_id=tab_id))
        return tab_id

    async def navigate(self, tab_id: str, url: str) -> str:
        await trio.sleep(self.loads_s)
        if self.refuses(url):
            raise KaptureError(ErrorCode.NAVIGATION_FAILED, "It is not to be shown.")
        self.shown[tab_id] = url
        return "net::ERR_ABORTED" if "download" in url else ""


def _urls(count: int) -> list[str]:
    return [f"https://{number}.test/" for number in range(count)]


async def _opened(browser: Browser, urls: list[str]) -> list[str]:
    like_a_browser: Any = browser
    return await open_urls(like_a_browser, urls)


async def test_all_are_opened_however_long_that_takes_together(autojump_clock: MockClock) -> None:
    browser, urls = Browser(opens_s=1, loads_s=20), _urls(200)
    assert await _opened(browser, urls) == []
    assert list(browser.shown.values()) == urls
    assert [tab.tab_id for tab in browser.tabs] == ["first", *(f"tab{number}" for number in range(1, 200))]
    assert list(browser.shown) == [tab.tab_id for tab in browser.tabs]


async def test_pages_load_beside_each_other(autojump_clock: MockClock) -> None:
    browser, began = Browser(loads_s=8), trio.current_time()
    await _opened(browser, _urls(16))
    assert trio.current_time() - began == 16


async def test_those_that_cannot_be_opened_are_named_in_their_order(autojump_clock: MockClock) -> None:
    browser, urls = Browser(), _urls(4)
    browser.refuses = lambda url: url in (urls[2], urls[0])
    assert await _opened(browser, [*urls, "https://a.test/download"]) == [
        "https://0.test/ is not opened: It is not to be shown.",
        "https://2.test/ is not opened: It is not to be shown.",
    ]
    assert browser.shown["tab3"] == urls[3]


async def test_a_tab_that_does_not_open_in_time_is_named_and_keeps_no_other_back(autojump_clock: MockClock) -> None:
    browser = Browser(opens_s=31)
    assert await _opened(browser, _urls(3)) == [
        "https://1.test/ has no tab: the browser opened none in 30 s.",
        "https://2.test/ has no tab: the browser opened none in 30 s.",
    ]
    assert browser.shown == {"first": "https://0.test/"}


async def test_a_browser_that_ends_meanwhile_is_not_launched(autojump_clock: MockClock) -> None:
    browser = Browser(opens_s=1)

    async def end() -> None:
        await trio.sleep(2.5)
        browser.connection.closed.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(end)
        with pytest.raises(KaptureError, match="ended while its tabs opened") as caught:
            await _opened(browser, _urls(9))
    assert caught.value.code is ErrorCode.LAUNCH_FAILED


async def test_a_browser_without_a_tab_is_not_launched(autojump_clock: MockClock) -> None:
    browser = Browser()
    browser.tabs.clear()
    with pytest.raises(KaptureError, match="opened no tab") as caught:
        await _opened(browser, [])
    assert caught.value.code is ErrorCode.LAUNCH_FAILED
