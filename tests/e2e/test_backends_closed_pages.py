"""Pages that Chrome shuts extensions out of: each says why, and a tab can leave it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from tests.support.backends import CLOSED, tab_over
from tests.support.patience import until
from tests.support.site import Site, serving
from tests.support.stack import call, hub_process, launched_beside, mcp_client, refusal

pytestmark = pytest.mark.e2e

PAGES = {
    "/": "<title>Home</title><h1>Home page</h1>",
    "/window": "<title>Opener</title><button onclick=\"window.open('about:blank#part')\">Open</button>",
    "/next": "<title>Next</title><h1>Next page</h1>",
}


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(PAGES) as running:
        yield running


@asynccontextmanager
async def client_of_tab(folder: Path, site: Site) -> AsyncIterator[tuple[Client, str]]:
    """A client, and the id of a connected tab on the first page, reached by the extension."""
    over = tab_over("extension", folder, site.url())
    async with over as reached, mcp_client(reached.hub, "--toolsets", "all") as client:
        yield client, reached.tab


async def test_a_tab_on_a_closed_page_is_listed_with_the_reason_and_can_be_used_to_go_on(
    tmp_path: Path, site: Site
) -> None:
    """The store does not answer here: its address alone closes the page."""
    async with client_of_tab(tmp_path, site) as (client, tab):
        opened = await call(client, "tab_new", tabId=tab, url="https://chromewebstore.google.com/")
        store = re.search(r"opened tab (\S+)", opened)
        assert store
        assert "not allow extensions" in await refusal(client, "snapshot", tabId=store[1])
        await call(client, "navigate", tabId=store[1], url=site.url("/next"))
        assert "Next page" in await call(client, "snapshot", tabId=store[1])
        said = await refusal(client, "navigate", tabId=tab, url="https://chromewebstore.google.com/")
        assert "not allow extensions" in said
        await call(client, "navigate", tabId=tab, url=site.url("/window"))
        said = await call(client, "click", tabId=tab, selector="button")
        assert "opened tab" in said

        async def paused() -> str | None:
            listed = await call(client, "list_tabs")
            return listed if CLOSED in listed else None

        await until(paused, "the window in the list, and why it is paused")


@pytest.mark.parametrize("arguments", [[], ["--with-extension"]], ids=["cdp", "extension"])
async def test_launch_opens_those_addresses_that_it_can(tmp_path: Path, site: Site, arguments: list[str]) -> None:
    with hub_process(tmp_path / "home") as hub:
        impossible = ["chrome://settings", "about:blank#a", "http://%zz/"]
        possible = [site.url("/"), site.url("/next")]
        async with launched_beside(hub, possible, [*arguments, *impossible]) as launched:
            assert [row["url"] for row in launched.rows if row["url"] != "about:blank"] == possible
