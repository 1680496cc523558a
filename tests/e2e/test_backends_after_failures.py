"""Over every backend a tab goes on after a page that crashed, could not be opened, or does not come to rest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.test_backends_commands import Tab, reached, tab
from tests.support.patience import until
from tests.support.site import Site, serving
from tests.support.stack import free_port, refusal

pytestmark = pytest.mark.e2e
__all__ = ["reached", "tab"]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    pages = {
        "/": "<title>First</title><h1>The first page</h1>",
        "/next": "<title>Next</title><h1>The next page</h1>",
        "/again": "<title>Again</title><meta http-equiv=refresh content=0><h1>Once more</h1>",
        "/each-second": "<title>News</title><meta http-equiv=refresh content=1><h1>The news</h1>",
    }
    with serving(pages) as running:
        yield running


async def test_a_crashed_page_is_left_and_reloaded(tab: Tab, site: Site) -> None:
    for tool, arguments, words in (
        ("navigate", {"url": site.url("/next")}, "/next"),
        ("reload", {}, "/next"),
    ):
        assert "crashed" in await refusal(tab.client, "cdp", tabId=tab.id, method="Page.crash")
        assert words in await tab.run(tool, **arguments)
        assert "The next page" in await tab.run("get_text")


async def test_an_error_page_is_loaded_again_and_left_for_an_empty_one(tab: Tab, site: Site) -> None:
    nobody = f"http://127.0.0.1:{free_port()}/"
    for tool, arguments in (("navigate", {"url": nobody}), ("reload", {})):
        assert "ERR_CONNECTION_REFUSED" in await refusal(tab.client, tool, tabId=tab.id, **arguments)
    assert "about:blank" in await tab.run("navigate", url="about:blank")
    assert "page about:blank" in await tab.run("snapshot")
    assert "The next page" in await tab.run("navigate", url=site.url("/next"), snapshot="full")


async def test_a_page_that_refreshes_itself_without_end_is_opened_and_left_all_the_same(tab: Tab, site: Site) -> None:
    async def left() -> bool:
        return "/next" in await tab.run("navigate", url=site.url("/next"))

    for _ in range(3):  # its next refresh may come while it is left
        assert "again and again" in await tab.run("navigate", url=site.url("/again"))
        await until(left, "the next page")


async def test_a_page_that_refreshes_itself_each_second_has_loaded(tab: Tab, site: Site) -> None:
    assert "again and again" not in await tab.run("navigate", url=site.url("/each-second"))
    assert "The news" in await tab.run("get_text")
