"""What a test file leaves in the browser that files share is gone before the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.client import HTTPException

import pytest
import trio

from tests.support.direct import attached, browser_target, direct_page, new_tab, targets
from tests.support.patience import evaluate, until
from tests.support.shared_browser import SharedBrowser, shared_browser
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e

LEAVE = """
(async () => {
  document.cookie = 'left=1; max-age=1000';
  localStorage.left = 1;
  await new Promise((done) => { indexedDB.open('left').onsuccess = done; });
  await (await caches.open('left')).put('/left', new Response('1'));
  await (await navigator.storage.getDirectory()).getFileHandle('left', { create: true });
  await navigator.serviceWorker.register('/worker.js');
  await navigator.serviceWorker.ready;
  await fetch('/kept');
})()
"""
LEFT = """
(async () => {
  await fetch('/kept');
  const names = [];
  for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
  return {
    cookie: document.cookie,
    local: Object.keys(localStorage),
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: await caches.keys(),
    files: names,
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    geolocation: (await navigator.permissions.query({ name: 'geolocation' })).state,
  };
})()
"""
NOTHING = {
    "cookie": "",
    "local": [],
    "databases": [],
    "caches": [],
    "files": [],
    "workers": 0,
    "geolocation": "prompt",
}
EVERYTHING = {
    "cookie": "left=1",
    "local": ["left"],
    "databases": ["left"],
    "caches": ["left"],
    "files": ["left"],
    "workers": 1,
    "geolocation": "granted",
}
LEAVES_A_QUESTION = "<title>stays</title><script>addEventListener('beforeunload', (e) => e.preventDefault())</script>"


@pytest.fixture
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedBrowser]:
    with shared_browser(lambda: tmp_path_factory.mktemp("profile")) as browser:
        yield browser


async def next_file(shared: SharedBrowser) -> int:
    return await trio.to_thread.run_sync(shared.port)


async def look(port: int, site: Site, script: str) -> object:
    async with direct_page(port, site.url("/")) as page:
        await until(
            lambda: evaluate(page, "document.title === 'site' && document.readyState === 'complete'"), "the page"
        )
        return await evaluate(page, script)


async def test_data_and_permissions_of_a_file_are_gone_for_the_next(shared: SharedBrowser) -> None:
    pages: dict[str, Page | str | Callable[[str], Page]] = {
        "/": "<title>site</title>",
        "/worker.js": Page("", headers={"Content-Type": "text/javascript"}),
        "/kept": Page("kept", headers={"Cache-Control": "max-age=1000"}),
    }
    with serving(pages) as site:
        port = await next_file(shared)
        assert await look(port, site, LEFT) == NOTHING
        await look(port, site, LEAVE)
        async with attached(await browser_target(port)) as browser:
            granted = {"permission": {"name": "geolocation"}, "setting": "granted"}
            await browser.root.send("Browser.setPermission", granted)
            assert await look(port, site, LEFT) == EVERYTHING
        assert site.requests.count("/kept") == 1
        assert await next_file(shared) == port
        assert await look(port, site, LEFT) == NOTHING
        assert site.requests.count("/kept") == 2


async def test_tabs_of_a_file_are_gone_for_the_next(shared: SharedBrowser) -> None:
    with serving({"/stays": LEAVES_A_QUESTION}) as site:
        port = await next_file(shared)
        await new_tab(port)
        stays = await new_tab(port, site.url("/stays"))
        async with attached(stays) as page:
            await until(lambda: evaluate(page, "document.title === 'stays'"), "the page")
            await evaluate(page, "void open('about:blank')")
            key = {"key": "a", "text": "a", "windowsVirtualKeyCode": 65}
            for kind in ("keyDown", "keyUp"):  # without input of a person a page may not ask before it closes
                await page.root.send("Input.dispatchKeyEvent", {"type": kind, **key})
        assert len(await targets(port)) > 3
        assert await next_file(shared) == port
        assert [target["url"] for target in await targets(port)] == ["about:blank"]


async def test_a_browser_that_has_ended_is_replaced(shared: SharedBrowser) -> None:
    port = await next_file(shared)
    async with attached(await browser_target(port)) as browser:
        await browser.root.send("Browser.close", {})

    async def ended() -> bool:
        try:
            await targets(port)
        except (OSError, HTTPException):  # refused, or cut off in its answer
            return True
        return False

    await until(ended, "the end of the browser")  # which still serves for a moment
    new = await next_file(shared)
    assert [target["url"] for target in await targets(new)] == ["about:blank"]
