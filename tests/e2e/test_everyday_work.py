"""The main job end to end: an official MCP client over stdio, the hub, the extension, real pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from mcp import Client

from kapture.cli.demo import demo_shop
from kapture.cli.extension_browser import FULL_GRANT
from tests.support.direct import attached
from tests.support.patience import NEVER
from tests.support.person import person_at_browser
from tests.support.stack import (
    HubProcess,
    browser_process,
    call,
    hub_process,
    images_of,
    mcp_client,
    refusal,
    text_of,
)

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    with demo_shop() as url:
        yield url


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, shop: str) -> Iterator[tuple[HubProcess, str]]:
    """A hub and a browser on the shop, for the whole file; the tab's id."""
    with hub_process(tmp_path_factory.mktemp("home")) as hub, browser_process(hub, [shop]) as rows:
        yield hub, rows[0]["tabId"]


async def open_tab(client: Client, opener: str, url: str) -> str:
    """A further tab of the launched browser; its id."""
    return (await call(client, "tab_new", tabId=opener, url=url)).partition("opened tab ")[2][:8]


async def test_an_official_client_runs_every_command_of_the_first_slice(
    stack: tuple[HubProcess, str], shop: str
) -> None:
    hub, tab = stack
    async with mcp_client(hub) as client:
        assert tab in await call(client, "list_tabs")
        # Logged before the tab was connected, or while its page still loaded.
        await until_called(client, "logs", "Corner Shop is open", tabId=tab)
        assert "HTTP 200" in await call(client, "navigate", tabId=tab, url=shop)
        await call(client, "fill", tabId=tab, selector="[name=name]", value="Grace Hopper")
        await call(client, "select", tabId=tab, selector="#article", value="bread")
        await call(client, "hover", tabId=tab, selector="#order-form button")
        await call(client, "click", tabId=tab, selector="#order-form button")
        answer = await call(client, "evaluate", tabId=tab, code="document.querySelector('#receipt-text').textContent")
        assert "Grace Hopper" in answer
        assert "3.20" in answer
        assert "1 × bread for Grace Hopper" in await call(client, "logs", tabId=tab, max=3)
        shot = await client.call_tool(
            "kapturemcp_screenshot",
            {"tabId": tab, "name": "receipt", "selector": "dialog", "width": 800, "height": 600},
        )
        assert not shot.is_error, text_of(shot)
        assert len(images_of(shot)) == 1
        await call(client, "navigate", tabId=tab, url=shop + "shop.css")
        assert shop in await call(client, "go_back", tabId=tab)
        assert "shop.css" in await call(client, "go_forward", tabId=tab)
        assert "shop.css" in await call(client, "reload", tabId=tab)
        assert "open" in await call(client, "logs", tabId=tab)  # entries survive navigation


async def test_two_tabs_are_driven_at_once(stack: tuple[HubProcess, str], shop: str) -> None:
    hub, tab = stack
    async with mcp_client(hub) as client:
        await call(client, "navigate", tabId=tab, url=shop)
        other = await open_tab(client, tab, shop)
        ended: list[str] = []

        async def hang() -> None:
            ended.append(await call(client, "evaluate", tabId=tab, code=f"await {NEVER}", timeout=600_000))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(hang)
            await until_running(client)
            assert "42" in await call(client, "evaluate", tabId=other, code="6 * 7")
            await until_running(client)
            assert ended == []
            nursery.cancel_scope.cancel()
        await call(client, "tab_close", tabId=other)


async def test_a_tab_closed_in_mid_command_ends_the_command(stack: tuple[HubProcess, str], shop: str) -> None:
    hub, tab = stack
    async with mcp_client(hub) as client, mcp_client(hub) as second:
        await call(client, "navigate", tabId=tab, url=shop)
        other = await open_tab(client, tab, shop)
        ended: list[str] = []

        async def hang() -> None:
            ended.append(await refusal(client, "evaluate", tabId=other, code=f"await {NEVER}"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(hang)
            await until_running(second)
            await call(second, "evaluate", tabId=tab, code="1")  # the neighbour is unaffected
            await call(second, "tab_close", tabId=other)  # the control lane does not wait for the queue
        assert ended[0].startswith(("TAB_DISCONNECTED", "DETACHED"))
        gone = await refusal(second, "reload", tabId=other)
        assert gone.startswith("TAB_DISCONNECTED")


async def until_running(client: Client) -> None:
    """Wait until the hub says that an `evaluate` runs on a tab."""
    await until_called(client, "status", "running: evaluate")


async def test_tabs_come_back_with_their_ids_after_the_hub_was_killed(tmp_path: Path, shop: str) -> None:
    home = tmp_path / "home"
    with hub_process(home) as hub:
        async with person_at_browser(home, tmp_path / "profile", shop, grant=FULL_GRANT):
            async with mcp_client(hub) as client:
                tab = await connected_tab(client)
            hub.kill()
            with hub_process(home, hub.port) as again:
                async with mcp_client(again) as client:
                    assert await connected_tab(client) == tab
                    assert "Corner Shop" in await call(client, "snapshot", tabId=tab)


async def test_tabs_of_a_launched_browser_find_a_hub_that_comes_later(tmp_path: Path, shop: str) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    async with person_at_browser(home, tmp_path / "profile", shop, grant=FULL_GRANT):
        with hub_process(home) as hub:
            async with mcp_client(hub) as client:
                tab = await connected_tab(client)
                assert "Corner Shop" in await call(client, "snapshot", tabId=tab)


async def test_a_stopped_service_worker_comes_back_with_its_tabs(tmp_path: Path, shop: str) -> None:
    home = tmp_path / "home"
    with hub_process(home) as hub:
        async with (
            person_at_browser(home, tmp_path / "profile", shop, grant=FULL_GRANT) as person,
            mcp_client(hub) as client,
        ):
            tab = await connected_tab(client)
            await person.stop_worker()
            async with attached(await person.target(shop)) as page:
                await page.root.send("Page.navigate", {"url": shop + "?again"})  # an event wakes the worker
            await until_called(client, "list_tabs", f"{shop}?again")
            assert await connected_tab(client) == tab
            assert "Corner Shop" in await call(client, "snapshot", tabId=tab)


async def connected_tab(client: Client) -> str:
    """The id of the only connected tab, waited for."""
    with trio.fail_after(60):
        while True:
            rows = await call(client, "list_tabs")
            if found := re.search(r"^  (\w{8}),", rows, re.MULTILINE):
                return found.group(1)
            await trio.sleep(0.1)


async def until_called(client: Client, tool: str, words: str, **arguments: Any) -> None:
    """Call a tool until its answer contains these words."""
    answer = ""
    with trio.move_on_after(60):
        while words not in (answer := await call(client, tool, **arguments)):  # noqa: ASYNC110  another process's state
            await trio.sleep(0.1)
    assert words in answer
