"""Emulated devices, locales, time zones and media features, in a real browser."""

from __future__ import annotations

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
