"""Pages that Chrome shuts extensions out of: each says why, and a tab can leave it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from tests.e2e.test_backends_commands import tab_over
from tests.support.patience import until
from tests.support.site import Site, serving
from tests.support.stack import call, hub_process, launched_beside, mcp_client, refusal

pytestmark = pytest.mark.e2e

BLANK_FRAME = "<title>Framed</title><h1>Words</h1><iframe src='about:blank#part'></iframe>"
PAGES = {
    "/": "<title>Home</title><h1>Home page</h1>",
    "/framed": BLANK_FRAME,
    "/later": '<title>Later</title><button onclick="document.body.append('
    "Object.assign(document.createElement('iframe'), {src: 'about:blank#part'}))\">Add</button>",
    "/self": "<title>Self</title><button onclick=\"location = 'about:blank#part'\">Go</button>",
    "/window": "<title>Opener</title><button onclick=\"window.open('about:blank#part')\">Open</button>",
    "/next": "<title>Next</title><h1>Next page</h1>",
}
REASON = "an about: address other than about:blank itself"


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(PAGES) as running:
        yield running


@asynccontextmanager
async def client_of_tab(backend: str, folder: Path, site: Site) -> AsyncIterator[tuple[Client, str]]:
    """A client, and the id of a connected tab on the first page, reached over this backend."""
    async with tab_over(backend, folder, site.url()) as reached, mcp_client(reached.hub, "--toolsets", "all") as client:
        yield client, reached.tab


async def refused_with_reason(client: Client, tab: str) -> None:
    async def look() -> str | None:
        result = await client.call_tool("kapturemcp_snapshot", {"tabId": tab})
        return None if not result.is_error else await refusal(client, "snapshot", tabId=tab)

    said = await until(look, "that the page is closed")
    assert said.startswith("DETACHED: ")
    assert REASON in said
    assert "avigate to another page" in said


@pytest.mark.parametrize("backend", ["extension", "relay"])
async def test_a_page_with_another_spelling_of_about_blank_says_why_and_can_be_left(
    tmp_path: Path, site: Site, backend: str
) -> None:
    async with client_of_tab(backend, tmp_path, site) as (client, tab):
        for path in ("/framed", "/later", "/self"):
            await client.call_tool("kapturemcp_navigate", {"tabId": tab, "url": site.url(path)})
            if path != "/framed":
                await client.call_tool("kapturemcp_click", {"tabId": tab, "selector": "button"})
            await refused_with_reason(client, tab)
            await call(client, "navigate", tabId=tab, url=site.url("/next"))
            assert "Next page" in await call(client, "snapshot", tabId=tab)
        # Also if no command has noticed that the page was closed.
        await call(client, "navigate", tabId=tab, url=site.url("/later"))
        await client.call_tool("kapturemcp_click", {"tabId": tab, "selector": "button"})
        await call(client, "navigate", tabId=tab, url=site.url("/next"))


@pytest.mark.parametrize("backend", ["launch", "attach"])
async def test_over_cdp_such_a_page_is_like_any_other(tmp_path: Path, site: Site, backend: str) -> None:
    async with client_of_tab(backend, tmp_path, site) as (client, tab):
        await call(client, "navigate", tabId=tab, url=site.url("/framed"))
        assert "Words" in await call(client, "snapshot", tabId=tab)


async def test_a_tab_on_a_closed_page_is_listed_with_the_reason_and_can_be_used_to_go_on(
    tmp_path: Path, site: Site
) -> None:
    """The store does not answer here: its address alone closes the page."""
    async with client_of_tab("extension", tmp_path, site) as (client, tab):
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
            return listed if REASON in listed else None

        await until(paused, "the window in the list, and why it is paused")


@pytest.mark.parametrize("arguments", [[], ["--with-extension"]], ids=["cdp", "extension"])
async def test_of_several_addresses_a_launch_opens_those_that_it_can(
    tmp_path: Path, site: Site, arguments: list[str]
) -> None:
    with hub_process(tmp_path / "home") as hub:
        impossible = ["chrome://settings", "about:blank#a", "http://%zz/"]
        possible = [site.url("/"), site.url("/next")]
        async with launched_beside(hub, possible, [*arguments, *impossible]) as launched:
            assert [row["url"] for row in launched.rows if row["url"] != "about:blank"] == possible
