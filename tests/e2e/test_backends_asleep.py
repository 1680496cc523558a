"""Tabs that the browser puts to sleep (discards), where the hub has its own connection to the browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.support.patience import until
from tests.support.site import serving
from tests.support.stack import HubProcess, call, hub_process, launched_beside, mcp_client, text_of

pytestmark = pytest.mark.e2e

# Only an extension can have a tab discarded on request: this one does it once, when a page "To bed" is open.
WORKER = """
let done = false;
async function discard() {
  const tabs = await chrome.tabs.query({});
  const sleepy = tabs.find(({ title }) => title === 'Sleepy');
  if (done || !sleepy || !tabs.some(({ title }) => title === 'To bed')) return;
  done = true;
  const { before } = await chrome.storage.session.get('before');
  await chrome.storage.session.set({ before: true });
  if (!before) await chrome.tabs.discard(sleepy.id);
}
chrome.tabs.onUpdated.addListener(discard);
discard();
"""


@pytest.fixture
def own_hub(tmp_path: Path) -> Iterator[HubProcess]:
    with hub_process(tmp_path / "home") as running:
        yield running


@pytest.fixture
def extension(tmp_path: Path) -> Path:
    folder = tmp_path / "discarding"
    folder.mkdir()
    manifest = {"manifest_version": 3, "name": "Discarding", "version": "1", "permissions": ["tabs", "storage"]}
    (folder / "manifest.json").write_text(json.dumps({**manifest, "background": {"service_worker": "worker.js"}}))
    (folder / "worker.js").write_text(WORKER)
    return folder


async def answer(client: Client, tool: str, tab: str, **arguments: Any) -> tuple[bool, str]:
    result = await client.call_tool(f"kapturemcp_{tool}", {"tabId": tab, **arguments})
    return not result.is_error, text_of(result)


# The browser ends the renderer of a page without such a listener before it replaces the target, else later.
@pytest.mark.parametrize(("wakes", "listener"), [("tab_activate", ""), ("navigate", "onpagehide = () => 0")])
async def test_a_tab_that_the_browser_puts_to_sleep_keeps_its_id_and_wakes(
    own_hub: HubProcess, extension: Path, wakes: str, listener: str
) -> None:
    pages = {
        "/": f"<title>Sleepy</title><h1>Dreams</h1><script>{listener}</script>",
        "/bed": "<title>To bed</title>",
        "/next": "<title>Next</title><h1>Morning</h1>",
    }
    with serving(pages) as site:
        arguments = ["--", f"--load-extension={extension}"]
        async with launched_beside(own_hub, [site.url("/")], arguments) as launched, mcp_client(own_hub) as client:
            tab = launched.rows[0]["tabId"]
            await call(client, "tab_new", tabId=tab, url=site.url("/bed"), active=True)

            async def asleep() -> bool:
                return "put this tab to sleep" in (await answer(client, "get_text", tab))[1]

            await until(asleep, "the sleep")
            assert "/next" in await call(client, "tab_new", tabId=tab, url="/next")
            url = {"url": site.url("/next")} if wakes == "navigate" else {}
            done, words = await answer(client, wakes, tab, **url)
            assert done, words

            async def awake() -> bool:
                return ("Morning" if wakes == "navigate" else "Dreams") in (await answer(client, "get_text", tab))[1]

            await until(awake, "the page")
            assert len((await call(client, "list_tabs")).split(tab)) == 2
