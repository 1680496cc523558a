"""Cookies, storage and emulation, in a real browser."""

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


async def test_emulation_is_seen_by_the_page_and_undone(browser: int, site: Site) -> None:
    facts = """[innerWidth, devicePixelRatio, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
      matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(prefers-reduced-motion)').matches]"""
    async with open_tab(browser, site.url("/")) as tab:
        before = (await tab.data("evaluate", code=facts))["value"]
        await tab(
            "emulate",
            viewport={"width": 500, "height": 400},
            device_scale=2,
            locale="de-DE",
            timezone="Asia/Tokyo",
            color_scheme="dark",
            reduced_motion=True,
        )
        assert (await tab.data("evaluate", code=facts))["value"] == [500, 2, "de-DE", "Asia/Tokyo", True, True]
        await tab("navigate", url=site.url("/moved"))
        assert (await tab.data("evaluate", code=facts))["value"] == [500, 2, "de-DE", "Asia/Tokyo", True, True]
        for wrong in ({"timezone": "Nowhere/Town"}, {"locale": "no locale!"}):
            assert (await tab.fails("emulate", **wrong)).code is ErrorCode.INVALID_PARAMS
        assert (await tab.data("emulate", locale=None))["timezone"] == "Asia/Tokyo"
        assert await tab.text("emulate", reset=True) == "Nothing is emulated."
        assert (await tab.data("evaluate", code=facts))["value"] == before


async def test_a_phone_is_emulated_with_touch_and_user_agent(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab("emulate", device="phone")
        answer = await tab.data(
            "evaluate", code="[screen.width, matchMedia('(pointer: coarse)').matches, navigator.userAgent]"
        )
        assert answer["value"][:2] == [390, True]
        assert "iPhone" in answer["value"][2]
        await tab("emulate", reset=True)
        assert "iPhone" not in await tab.text("evaluate", code="navigator.userAgent")
