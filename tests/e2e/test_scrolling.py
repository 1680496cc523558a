"""Scrolling by the wheel, by position and to an end, and what the page does about it."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from typing import Any

import pytest

from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.settling import patient
from tests.support.site import Site

pytestmark = pytest.mark.e2e


SCROLL = """<div id=list style="height:200px;overflow:auto"><div style="height:3000px">List</div></div>
<div style="height:4000px"></div><button id=x>End</button><script>window.wheels=0;addEventListener('wheel',()=>wheels++)</script>"""


async def test_scroll_turns_the_wheel_and_says_where_it_stands(browser: int, site: Site) -> None:
    site.pages["/scroll"] = SCROLL
    async with open_tab(browser, site.url("/scroll")) as tab:
        page = await tab.data("scroll", target={"css": "#list"}, delta_y=500)
        assert page["y"] == 500
        assert await tab.page.evaluate("list.scrollTop") == 500
        assert await tab.page.evaluate("wheels") == 1
        assert (await tab.data("scroll", selector="#list", to="bottom"))["y"] == 2800
        assert (await tab.data("scroll", to="bottom"))["y"] == await tab.page.evaluate("scrollY")
        assert (await tab.data("scroll", to="top"))["y"] == 0
        assert "did not scroll" in await tab.text("scroll", to="top")
        assert (await tab.data("scroll", y=120))["y"] == 120
        await tab("scroll", selector="#x")
        assert await tab.page.evaluate("x.getBoundingClientRect().bottom < innerHeight") is True
        assert (await tab.fails("scroll")).code is ErrorCode.INVALID_PARAMS
        assert (await tab.fails("scroll", to="top", y=3)).code is ErrorCode.INVALID_PARAMS


async def test_smooth_scrolling_is_waited_for(browser: int, site: Site) -> None:
    site.pages["/smooth"] = (
        "<style>html{scroll-behavior:smooth}</style><div style='height:9000px'></div><button id=x>End</button>"
    )
    async with open_tab(browser, site.url("/smooth")) as tab:
        assert (await tab.data("scroll", delta_y=700))["y"] == 700
        await tab("click", selector="#x")


# What a page does when it is scrolled: with the page, whose list is `#l`.
ROW = "<p style='height:300px'>"


LOADED: dict[str, str] = {
    "in its scroll handler": "addEventListener('scroll',()=>l.append('Loaded more'),{capture:true,once:true})",
    "in the frame after": "addEventListener('scroll',()=>requestAnimationFrame(()=>l.append('Loaded more')),{capture:true,once:true})",
    "when the end comes into view": "new IntersectionObserver((found)=>found[0].isIntersecting&&l.append('Loaded more')).observe(end)",
    "from the server": "addEventListener('scroll',()=>fetch('/more').then((r)=>r.text()).then((t)=>l.append(t)),{capture:true,once:true})",
    "when scrolling has come to rest": """let t;addEventListener('scroll',()=>{clearTimeout(t);
      t=setTimeout(()=>l.append('Loaded more'),150)},{capture:true})""",
}


WAYS: dict[str, dict[str, Any]] = {
    "to an edge": {"to": "bottom"},
    "to a position": {"y": 5000},
    "with the wheel": {"delta_y": 5000},
    "to an element": {"selector": "#end"},
}


@pytest.mark.parametrize("script", LOADED.values(), ids=LOADED)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
async def test_a_scroll_is_answered_after_what_the_pages_own_handlers_do(
    browser: int, site: Site, script: str, way: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    site.pages["/more"] = "Loaded more"
    site.pages["/endless"] = f"<!doctype html><div id=l>{ROW * 10}<p id=end>End</p></div><script>{script}</script>"
    async with open_tab(browser, site.url("/endless")) as tab:
        await tab("snapshot")
        assert "Loaded more" in await tab.text("scroll", **way)


@pytest.mark.parametrize("way", [{"delta_y": 300}, {"to": "bottom"}])
async def test_scroller_within_custom_element_is_scrolled_and_named(
    browser: int, site: Site, way: dict[str, Any]
) -> None:
    site.pages["/grid"] = """<x-grid></x-grid><div style="height:3000px"></div><script>
    document.querySelector("x-grid").attachShadow({ mode: "open" }).innerHTML =
      '<div id=list style="height:100px; overflow:auto"><div style="height:400px">Rows</div></div>';</script>"""
    async with open_tab(browser, site.url("/grid")) as tab:
        answer = await tab.text("scroll", selector="x-grid", timeout=60_000, **way)
        assert "y 300 of 300" in answer
        assert "did not scroll" not in answer
        assert await tab.page.evaluate("scrollY") == 0
