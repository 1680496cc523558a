"""A person lowers the level of a tab while a client works on it, in a browser with the extension."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from mcp import Client

from tests.support.direct import attached
from tests.support.patience import evaluate, until
from tests.support.person import Person, person_at_browser
from tests.support.site import Site, serving
from tests.support.stack import HubProcess, call, hub_process, mcp_client, refusal

pytestmark = pytest.mark.e2e

PAGE = "<title>mine</title><h1>granted words</h1>"
POLLS = """setInterval(async () => {
  document.title = await (await fetch('/answer')).text();
}, 100); await new Promise((done) => setTimeout(done, 500)); return document.title"""


@asynccontextmanager
async def lowering(person: Person, grant: dict[str, Any]) -> AsyncIterator[Callable[[str], Awaitable[None]]]:
    """Gives the tab another level, as a person does in a view of the extension."""
    async with person.extension_page("options.html") as view:

        async def lower(level: str) -> None:
            message = json.dumps({"do": "grant", "grant": {**grant, "level": level}})
            send = f"(window.port = chrome.runtime.connect({{ name: `tab:${{id}}` }})).postMessage({message})"
            await evaluate(
                view.page, f"chrome.tabs.query({{ url: 'http://127.0.0.1/*' }}).then(([{{ id }}]) => {{ {send} }})"
            )

        yield lower


@attrs.frozen
class ConnectedTab:
    """A person's tab that a client works on. `lower` gives it another level."""

    hub: HubProcess
    person: Person
    lower: Callable[[str], Awaitable[None]]
    client: Client


@asynccontextmanager
async def connected_tab(folder: Path, site: Site, grant: dict[str, Any]) -> AsyncIterator[ConnectedTab]:
    """The page of a site, connected with this grant in a browser of its own."""
    with hub_process(folder / "home") as hub:
        async with (
            person_at_browser(hub.home, folder / "theirs", site.url("/"), grant=grant) as person,
            lowering(person, grant) as lower,
            mcp_client(hub, "--toolsets", "all") as client,
        ):

            async def connected() -> bool:
                return "mine" in await call(client, "list_tabs")

            await until(connected, "the tab")
            yield ConnectedTab(hub, person, lower, client)


async def test_activities_end_with_the_level_they_need(tmp_path: Path) -> None:
    with serving({"/": PAGE, "/answer": "real"}) as site:
        full = {"sites": [f"127.0.0.1:{site.port}"], "level": "full"}
        async with connected_tab(tmp_path, site, full) as tab:
            client, lower = tab.client, tab.lower
            await call(client, "route", action="mock", url="*/answer", status=200, body="mocked")
            assert "mocked" in await call(client, "evaluate", code=POLLS)
            await call(client, "record_start")
            ended: list[str] = []

            async def loop() -> None:
                ended.append(await refusal(client, "evaluate", code="while (true);", timeout=60_000))

            async with trio.open_nursery() as nursery, mcp_client(tab.hub) as other:

                async def running() -> bool:
                    return "evaluate" in await call(other, "status")

                nursery.start_soon(loop)
                await until(running, "the loop")
                await lower("read")
            assert "The grant was changed while this ran." in ended[0]
            assert "granted words" in await call(client, "get_text")
            assert "recorded" not in await call(client, "tab_info")

            async def unmocked() -> bool:
                return "'real'" in await call(client, "tab_info")

            await until(unmocked, "the answer of the site itself")


OWN = """JSON.stringify([navigator.userAgent.includes('iPhone'), screen.width === 390, matchMedia('print').matches,
  Intl.DateTimeFormat().resolvedOptions().timeZone === 'Asia/Tokyo', navigator.onLine, window.left ?? 'nothing'])"""
CHANGED = [True, True, True, True, False, "a script"]


async def test_emulation_and_what_raw_commands_have_set_end_with_the_level_that_they_need(tmp_path: Path) -> None:
    with serving({"/": PAGE}) as site:
        full = {"sites": ["*"], "level": "full"}
        async with connected_tab(tmp_path, site, full) as tab:
            client, lower = tab.client, tab.lower
            script = {"source": "window.left = 'a script'"}
            await call(client, "cdp", method="Page.addScriptToEvaluateOnNewDocument", params=script)
            await call(client, "emulate", device="phone", media="print", timezone="Asia/Tokyo")
            await call(client, "reload")
            await call(client, "network_conditions", offline=True)
            async with attached(await tab.person.target(site.url("/"))) as page:

                async def shown() -> list[Any]:
                    shown: list[Any] = json.loads(await evaluate(page, OWN))
                    return shown

                assert await shown() == CHANGED
                await lower("interact")

                async def emulation_ended() -> bool:
                    return (await shown())[1:5] == [False, False, False, False]

                await until(emulation_ended, "the end of emulation")
                await lower("read")

                async def online() -> bool:
                    return bool((await shown())[4])

                await until(online, "the end of the network conditions")
                await page.root.send("Page.reload")

                async def as_it_is() -> bool:
                    return await shown() == [False, False, False, False, True, "nothing"]

                await until(as_it_is, "the page as it is without a client")
