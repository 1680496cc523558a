"""Cookies and storage, in a real browser."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.script_pages import PAGES
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(dict(PAGES)) as served:
        yield served


async def test_cookies_are_set_read_deleted_and_cleared(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab("cookies", action="clear")
        await tab("cookies", action="set", name="a", value="1", http_only=True)
        tomorrow = round(time.time()) + 86_400
        await tab("cookies", action="set", name="b", value="2", expires=tomorrow, same_site="Strict")
        answer = {cookie["name"]: cookie for cookie in (await tab.data("cookies"))["cookies"]}
        assert (answer["a"]["value"], answer["a"]["http_only"], answer["a"]["expires"]) == ("1", True, None)
        assert (answer["b"]["same_site"], answer["b"]["expires"]) == ("Strict", tomorrow)
        assert (await tab.data("evaluate", code="document.cookie"))["value"] == "b=2"
        assert (await tab.data("cookies", action="delete", name="a"))["changed"] == 1
        assert [cookie["name"] for cookie in (await tab.data("cookies"))["cookies"]] == ["b"]
        assert (await tab.data("cookies", action="clear"))["changed"] == 1
        assert (await tab.fails("cookies", action="set", value="x")).code is ErrorCode.INVALID_PARAMS


async def test_cookies_of_other_sites_are_out_of_reach(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/", host="localhost")) as tab:
        await tab("cookies", action="set", name="theirs", value="1")
        await tab("navigate", url=site.url("/"))
        tab.page.gate = lambda url: "127.0.0.1" in url
        assert "theirs" not in str(await tab.data("cookies"))
        error = await tab.fails("cookies", action="set", name="x", domain="localhost")
        assert error.code is ErrorCode.POLICY_DENIED
        await tab("cookies", action="clear")
        tab.page.gate = lambda _: True
        await tab("navigate", url=site.url("/", host="localhost"))
        assert "theirs" in str(await tab.data("cookies"))


async def test_storage_is_set_read_removed_and_cleared(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        for area in ("local", "session"):
            await tab("storage", action="clear", area=area)
            await tab("storage", action="set", area=area, key="k", value='{"a": 1}')
            await tab("storage", action="set", area=area, key="big", value="x" * 200_000)
            answer = await tab.data("storage", area=area)
            assert answer["entries"]["k"] == '{"a": 1}' or answer["cut"] > 0
            assert answer["cut"] >= 100_000
            assert (await tab.data("storage", area=area, key="k"))["entries"] == {"k": '{"a": 1}'}
            assert (await tab.data("storage", action="remove", area=area, key="k"))["changed"] == 1
            assert (await tab.data("storage", action="clear", area=area))["changed"] == 1
        await tab("navigate", url="data:text/html,x")
        assert (await tab.fails("storage")).code is ErrorCode.EXECUTION_ERROR
