"""What a person cannot scroll to, such as menus that are slid out of the window, is marked; what can be scrolled to is not."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import re

import pytest

from tests.support.context import open_tab
from tests.support.settling import at, patient
from tests.support.site import Site

pytestmark = pytest.mark.e2e

_CARDS = "".join(f"<a href='#{number}' style='flex:0 0 300px'>Card {number}</a>" for number in (1, 2, 3))
OUT = {
    "slid out to the left": "<nav style='position:fixed; width:240px; transform:translateX(-100%)'><a href='#'>There</a></nav>",
    "slid out to the right": "<div style='position:fixed; top:0; right:-300px; width:300px'><a href='#'>There</a></div>",
    "slid out below": "<div style='position:fixed; bottom:0; height:200px; transform:translateY(100%)'><a href='#'>There</a></div>",
    "above the page": "<a href='#' style='position:absolute; top:-40px'>There</a>",
    "beside a page that does not scroll": "<style>body { overflow-x:hidden }</style><div style='position:absolute; left:100%; width:300px'><a href='#'>There</a></div>",
    "folded up": "<div style='height:0; overflow:hidden'><a href='#'>There</a></div>",
    "another slide": f"<div style='display:flex; width:300px; overflow:hidden'>{_CARDS.replace('Card 2', 'There')}</div>",
    "a slide that has gone by": f"<div style='width:300px; overflow:hidden'><div style='display:flex; transform:translateX(-300px)'>{_CARDS.replace('Card 1', 'There')}</div></div>",
    "in a shadow tree": "<div id=host></div><script>host.attachShadow({ mode: 'open' }).innerHTML = `<div style='position:fixed; transform:translateX(-300px)'><a href='#'>There</a></div>`</script>",
}  # fmt: skip
IN = {
    "below the fold": "<div style='height:3000px'></div><a href='#'>There</a>",
    "to the right, on a page that scrolls": "<div style='width:4000px'><a href='#' style='margin-left:3000px'>There</a></div>",
    "further down in a list": "<div style='height:60px; overflow:auto'><div style='height:2000px'></div><a href='#'>There</a></div>",
    "in a list below the fold": "<div style='height:3000px'></div><div style='height:60px; overflow:auto'><div style='height:900px'></div><a href='#'>There</a></div>",
    "in a row that scrolls": f"<div style='display:flex; width:300px; overflow-x:auto'>{_CARDS.replace('Card 3', 'There')}</div>",
    "partly cut off": "<div style='width:20px; overflow:hidden; white-space:nowrap'><a href='#'>There</a></div>",
    "not held by what cuts off": "<div style='height:0; overflow:hidden'><a href='#' style='position:absolute; top:200px'>There</a></div>",
    "for screen readers": "<a href='#' style='position:absolute; left:-9999px'>There</a>",
    "clipped for screen readers": "<span style='position:absolute; width:1px; height:1px; overflow:hidden; clip-path:inset(50%)'><a href='#'>There</a></span>",
    "a field that is only for screen readers": "<div style='position:relative; width:20px; height:20px; background:red'><span style='position:absolute; width:1px; height:1px; margin:-1px; overflow:hidden; clip-path:inset(50%)'><input type=range aria-label=There style='margin:4px'></span></div>",
    "in the window": "<div style='position:fixed; bottom:0'><a href='#'>There</a></div>",
    "above, on a page that is held while a dialog is open": "<style>html { position:fixed; top:-900px }</style><a href='#'>There</a><div style='height:3000px'></div>",
    "below, in a body that is held": "<style>body { position:fixed; top:-900px }</style><div style='height:3000px'></div><a href='#'>There</a>",
    "right to left": "<style>html { direction:rtl }</style><div style='width:4000px'><a href='#' style='margin-right:3000px'>There</a></div>",
}  # fmt: skip


@pytest.mark.parametrize("html", OUT.values(), ids=OUT.keys())
async def test_what_nobody_can_scroll_to_is_marked(browser: int, site: Site, html: str) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, f"<!doctype html><h1>Page</h1>{html}")
        assert re.search(r'\[out-of-view\].*|"There" \[out-of-view\]', await tab.text("snapshot"))


@pytest.mark.parametrize("html", IN.values(), ids=IN.keys())
async def test_what_can_be_scrolled_to_is_not(browser: int, site: Site, html: str) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, f"<!doctype html><h1>Page</h1>{html}")
        await tab("scroll", to="bottom")
        for _ in range(2):
            shown = await tab.text("snapshot")
            assert "There" in shown
            assert "out-of-view" not in shown
            await tab("scroll", to="top")


async def test_a_menu_that_slides_in_and_out_is_a_change(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    monkeypatch.setattr("kapture.commands.core.later_effects.AFTER_ANIMATION_S", 10)
    style = "<style>nav { position:fixed; left:0; top:100px; width:200px; transition:transform 300ms } .out { transform:translateX(-100%) }</style>"
    async with open_tab(browser) as tab:
        menu = "<button onclick='menu.classList.toggle(`out`)'>Menu</button><nav id=menu class=out><a href='#'>Home</a></nav>"
        await at(tab, site, f"<!doctype html>{style}{menu}")
        assert "navigation [out-of-view]" in await tab.text("snapshot")
        slid_in = await tab.text("click", selector="button", timeout=60_000)
        assert "(was out-of-view)" in slid_in
        assert "navigation [out-of-view]" in await tab.text("click", selector="button", timeout=60_000)


async def test_what_is_in_closed_details_says_what_opens_them(browser: int, site: Site) -> None:
    site.pages["/details"] = """<title>t</title><details><summary>Exercise 12</summary>
        <button onclick="document.title = 'done'">Mark as done</button></details>"""
    async with open_tab(browser, site.url("/details")) as tab:
        error = await tab.gives_up("click", target={"text": "Mark as done"})
        assert "it is in the closed details of <summary>, ref=" in error.message
        await tab("click", target={"ref": error.message.rpartition("ref=")[2].rstrip(".")})
        await tab("click", target={"text": "Mark as done"})
        assert await tab.page.evaluate("document.title") == "done"
