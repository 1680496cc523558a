"""The Console, opened as `kapture console` opens it: a page of the hub that is an MCP client of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kapture.cli.console import write_console_page
from kapture.cli.demo import demo_shop
from kapture.pairing import key_file
from tests.support.direct import direct_browser, direct_page
from tests.support.person import evaluate, until
from tests.support.stack import browser_process, hub_process

pytestmark = pytest.mark.e2e


async def test_the_console_runs_a_command_on_a_connected_tab(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home") as hub, demo_shop() as shop, browser_process(hub, [shop]):
        page = write_console_page(hub.home, key_file.read(hub.home))
        async with direct_browser(tmp_path / "profile") as port, direct_page(port) as console:
            await console.root.send("Page.enable")
            await console.root.send("Page.navigate", {"url": page.as_uri()})

            async def ready() -> bool:
                return bool(await evaluate(console, "document.querySelector('#call button')?.disabled === false"))

            await until(ready, "the Console's Run button")
            assert "Corner Shop" in await evaluate(console, "document.querySelector('#tab').innerText")
            assert "ticket" not in await evaluate(console, "location.href")
            await evaluate(console, "document.querySelector('#call button').click()")

            async def answered() -> bool:
                return "Place order" in str(await evaluate(console, "document.querySelector('#answer').textContent"))

            await until(answered, "the snapshot")
            await console.root.send("Page.reload")  # the session token outlives the one-time ticket
            await until(ready, "the Run button after a reload")


async def test_the_console_without_a_ticket_says_how_to_get_one(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home") as hub:
        url = f"http://127.0.0.1:{hub.port}/console/"
        async with direct_browser(tmp_path / "profile") as port, direct_page(port, url) as console:

            async def shown() -> bool:
                return "kapture console" in str(await evaluate(console, "document.body?.innerText"))

            await until(shown, "the way in")
