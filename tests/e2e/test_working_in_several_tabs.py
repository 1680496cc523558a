"""A person works in a tab that a click has opened and in the one that they came from: recorded once, it runs in other
browsers, on other tabs."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from mcp import Client

from tests.support.attached import attach
from tests.support.direct import attached, targets
from tests.support.panel import Panel
from tests.support.patience import evaluate, until
from tests.support.site import Site, serving
from tests.support.stack import HubProcess, call, hub_process, launched_beside, mcp_client

pytestmark = pytest.mark.e2e

ORDER = """
<title>Order</title><h1>Order 7</h1><p id=state>Not paid</p>
<a id=pay href=/pay target=_blank>Pay</a>
<button id=look onclick="this.textContent = state.textContent">Look</button>
<label>Note <input id=note></label>
<script>new BroadcastChannel('pay').onmessage = ({ data }) => { state.textContent = data }</script>
"""
PAY = """
<title>Pay</title>
<label>Card holder <input id=holder></label>
<button id=now onclick="channel.postMessage('Paid by ' + holder.value); now.textContent = 'Done'">Pay now</button>
<button id=end onclick="channel.postMessage('Ended by ' + holder.value); window.close()">End</button>
<script>const channel = new BroadcastChannel('pay')</script>
"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/order": ORDER, "/pay": PAY}) as site:
        yield site


@attrs.frozen
class Scene:
    """A hub, a client of it, and a tab of somebody else's browser with the order in it."""

    hub: HubProcess
    client: Client
    tab: str
    browser: int
    person: Panel

    async def opened(self) -> list[dict[str, Any]]:
        """The connected tabs that the tab has opened."""
        result = await self.client.call_tool("kapturemcp_list_tabs", {})
        assert result.structured_content is not None
        return [row for row in result.structured_content["tabs"] if row.get("opener") == self.tab]

    @asynccontextmanager
    async def in_opened_tab(self) -> AsyncIterator[Panel]:
        """The person's hand in the tab that was opened, once it is recorded too, until that tab has closed itself."""

        async def recorded() -> bool:
            return any(row["recording"] and row["url"].endswith("/pay") for row in await self.opened())

        await until(recorded, "a second recorded tab")
        [target] = [one for one in await targets(self.browser) if one["url"].endswith("/pay")]

        async def closed() -> bool:
            return all(one["id"] != target["id"] for one in await targets(self.browser))

        async with attached(target) as connection:
            yield Panel(connection, connection)
            await until(closed, "the end of the opened tab")

    async def shows(self, person: Panel, text: str) -> None:
        async def look() -> bool:
            return bool(await evaluate(person.page, f"document.body.innerText.includes({text!r})"))

        await until(look, text)


@pytest.fixture
async def scene(browser: int, site: Site, tmp_path: Path) -> AsyncIterator[Scene]:
    with hub_process(tmp_path / "home") as hub:
        async with mcp_client(hub, "--toolsets", "all", "--structured") as client:
            with attach(hub, f"http://127.0.0.1:{browser}", ["--level", "full"]) as backend:
                tab = backend.rows[0]["tabId"]
                await call(client, "navigate", tabId=tab, url=site.url("/order"))
                [target] = [one for one in await targets(browser) if one["url"] == site.url("/order")]
                async with attached(target) as connection:
                    yield Scene(hub, client, tab, browser, Panel(connection, connection))


async def pay(at: Scene) -> None:
    """Open the second tab, work in both, and have it close itself."""
    await at.person.click("#pay")
    async with at.in_opened_tab() as second:
        await second.fill("#holder", "Ada")
        await second.click("#now")
        await at.shows(second, "Done")
        await at.shows(at.person, "Paid by Ada")
        await at.person.click("#look")
        await second.click("#end")
    await at.shows(at.person, "Ended by Ada")

    async def closed() -> bool:
        return not await at.opened()

    await until(closed, "the end of the second tab")
    await at.person.fill("#note", "Thank you")


async def test_work_in_several_tabs_is_recorded_and_runs_in_other_browsers(scene: Scene, site: Site) -> None:
    await call(scene.client, "record_start", tabId=scene.tab)
    await pay(scene)
    await call(scene.client, "record_check", tabId=scene.tab, target="#state", kind="text", expected="Ended by Ada")
    saved = await call(scene.client, "record_save", tabId=scene.tab, name="pay")
    path = re.search(r"\S+pay\.json", saved)
    assert path is not None
    scenario = json.loads(await trio.Path(path[0]).read_text())
    assert [(step.get("command", "check"), step.get("tab", 1), step.get("opens")) for step in scenario["chain"]] == [
        ("navigate", 1, None),
        ("click", 1, 2),
        ("wait_for", 2, None),
        ("fill", 2, None),
        ("click", 2, None),
        ("tab_activate", 1, None),
        ("click", 1, None),
        ("tab_activate", 2, None),
        ("click", 2, None),
        ("tab_close", 2, None),
        ("fill", 1, None),
        ("check", 1, None),
    ]
    assert not any(tab in json.dumps(scenario) for tab in (scene.tab, "targetId"))
    for arguments in ([], ["--with-extension"]):
        async with launched_beside(scene.hub, [site.url("/order")], ["--level", "full", *arguments]) as launched:
            [row] = launched.rows
            result = await call(scene.client, "run_scenario", name="pay", tabId=row["tabId"])
            assert "passed: 12 of 12 steps" in result, result
