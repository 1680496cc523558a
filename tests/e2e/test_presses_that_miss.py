"""Presses and clicks that would miss, because the page moves, covers or swaps the element meanwhile."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode
from tests.support.click_log import CLICKS, clicks
from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e


async def test_an_overlay_that_appears_at_the_press_never_gets_the_click(browser: int, site: Site) -> None:
    """The page covers the button when the pointer arrives, and uncovers it later: no click may land on the cover."""
    site.pages["/trap"] = (
        CLICKS
        + """<button id=x style="width:200px;height:80px">Go</button><script>
    let done = false;
    x.addEventListener('mousemove', () => { if (done) return; done = true;
      const c = document.createElement('div'); c.id = 'cover'; c.style.cssText = 'position:fixed;inset:0;background:#fff8';
      document.body.append(c); setTimeout(() => c.remove(), 300); });</script>"""
    )
    async with open_tab(browser, site.url("/trap")) as tab:
        await tab("click", selector="#x", timeout=30_000)
        assert await clicks(tab) == ["x"]


async def test_a_click_that_the_element_moves_away_from_is_made_again(browser: int, site: Site) -> None:
    """A field that loses the focus to the press says what is missing, and moves the button: a click of nothing."""
    site.pages["/moved"] = (
        CLICKS
        + """<input id=f onblur="this.nextElementSibling.style.height = '200px'"><p></p><button id=x>Go</button>
    <script>window.presses = 0; x.addEventListener('mousedown', () => presses += 1)</script>"""
    )
    async with open_tab(browser, site.url("/moved")) as tab:
        await tab("click", selector="#f")
        await tab("click", selector="#x", timeout=30_000)
        assert await clicks(tab) == ["f", "x"]
        assert await tab.page.evaluate("presses") == 2


async def test_a_press_after_which_the_page_moves_the_element_is_not_repeated(browser: int, site: Site) -> None:
    site.pages["/pressed"] = (
        CLICKS
        + """<button id=x>Menu</button><script>window.presses = 0;
    x.addEventListener('mousedown', () => { presses += 1; x.style.marginTop = '200px'; })</script>"""
    )
    async with open_tab(browser, site.url("/pressed")) as tab:
        await tab("click", selector="#x", timeout=30_000)
        assert await tab.page.evaluate("presses") == 1


async def test_a_field_that_takes_the_place_of_what_was_pressed_is_the_effect_of_the_press(
    browser: int, site: Site
) -> None:
    """Words that can be edited in place: they hide as soon as they have the focus."""
    site.pages[
        "/edited"
    ] = """<style>body { margin: 50px } p, input { font: 20px serif; width: 200px; margin: 0 }</style>
    <p id=x tabindex=0>Title</p><input id=f hidden value=Title><script>window.presses = 0;
    x.onmousedown = () => presses += 1;
    x.onfocus = () => { x.hidden = true; f.hidden = false; setTimeout(() => f.focus()) }</script>"""
    async with open_tab(browser, site.url("/edited")) as tab:
        await tab("click", selector="#x", timeout=30_000)
        assert await tab.page.evaluate("[presses, document.activeElement.id]") == [1, "f"]


async def test_an_element_that_moves_away_from_each_press_is_reported(browser: int, site: Site) -> None:
    site.pages["/evading"] = (
        CLICKS
        + """<button id=x>Go</button><script>window.presses = 0;
    x.addEventListener('focus', () => { presses += 1; x.style.marginTop = `${presses * 100}px`; });
    addEventListener('mouseup', () => x.blur())</script>"""
    )
    async with open_tab(browser, site.url("/evading")) as tab:
        error = await tab.fails("click", selector="#x", timeout=30_000)
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE, error
        assert "it moved away before the button was released" in error.message
        assert await clicks(tab) == []
        assert await tab.page.evaluate("presses") == 3


async def test_a_press_that_always_meets_something_else_is_an_error_and_does_nothing(browser: int, site: Site) -> None:
    site.pages["/shy"] = """<!doctype html><body id=around style="height:600px">
      <button id=x style="position:absolute;left:0;top:100px;width:100px;height:40px">Shy</button>
      <script>var hits=[];addEventListener('click',(e)=>hits.push(e.target.id));
      addEventListener('mousemove',()=>x.style.left=x.offsetLeft?'0':'300px',true)</script>"""
    async with open_tab(browser, site.url("/shy")) as tab:
        error = await tab.fails("click", selector="#x")
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE
        assert await tab.page.evaluate("hits") == []


ITEMS = """<style>div { width: 160px; padding: 8px } button { position: relative; left: 0 }</style>
<div id=card tabindex=0>Fix pump <button>Edit</button></div>
<div id=row>Green tea <input type=checkbox aria-label=Take></div>
<ul><li id=link><a href="#all" style="display:block">All</a></ul><script>
for (const one of [card, row]) {
  const inner = one.lastElementChild;  // in the middle of it
  inner.style.left = 80 - inner.offsetLeft + one.offsetLeft - inner.offsetWidth / 2 + "px";
  inner.style.position = "relative";
}
document.onclick = ({ target }) => document.title += target.id || target.localName;
</script>"""


async def test_click_on_whole_element_avoids_control_in_its_middle(browser: int, site: Site) -> None:
    site.pages["/items"] = ITEMS
    async with open_tab(browser, site.url("/items")) as tab:
        await tab("click", target={"text": "Fix pump"}, timeout=60_000)
        await tab("click", target={"text": "Green tea"}, timeout=60_000)
        await tab("click", target="#link", timeout=60_000)
        assert await tab.page.evaluate("document.title") == "cardrowa"


async def test_a_press_that_the_browser_keeps_from_the_page_is_said_to_be_kept(browser: int, site: Site) -> None:
    """As it is while a dialog of the browser itself is open in the tab: whether to open another program, for example."""
    site.pages["/kept"] = CLICKS + "<button id=x>Go</button>"
    async with open_tab(browser, site.url("/kept")) as tab:
        await tab.page.connection.root.send("Input.setIgnoreInputEvents", {"ignore": True})
        error = await tab.fails("click", selector="#x")
        assert error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE
        assert "the browser did not pass the press on to the page" in error.message
        await tab.page.connection.root.send("Input.setIgnoreInputEvents", {"ignore": False})
        await tab("click", selector="#x")
        assert await clicks(tab) == ["x"]
