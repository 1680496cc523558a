"""Pages that stand still for longer than something is waited for: what was to come comes when they go on."""

from __future__ import annotations

import pytest

from kapture.page import actionability
from kapture.page.actions import choose
from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

STALL = """<script>
function standStill(work) {
  setTimeout(() => {
    for (const began = performance.now(); performance.now() - began < 2500; );
    setTimeout(work, 50);
  }, 150);
}
</script>"""


@pytest.mark.parametrize("frames", ["", "<iframe></iframe>"], ids=["one document", "several frames"])
async def test_an_element_that_a_page_was_about_to_show_is_waited_for(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch, frames: str
) -> None:
    monkeypatch.setattr(actionability, "APPEAR_MS", 2_000)
    button = "<button onclick=\"document.title = 'pressed'\">Go</button>"
    site.pages["/late"] = f"{STALL}<p id=p></p>{frames}"
    async with open_tab(browser, site.url("/late")) as tab:
        await tab.page.evaluate(f"standStill(() => {{ p.innerHTML = `{button}` }})")
        await tab("click", target={"role": "button", "name": "Go"})
        assert await tab.page.evaluate("document.title") == "pressed"


async def test_a_field_beside_the_name_is_not_taken_for_one_that_a_page_was_about_to_show(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actionability, "APPEAR_MS", 2_000)
    box = "<input type=checkbox onclick=\"document.title = 'TITLE'\""
    beside = f"<ul><li><span>Milk</span> {box.replace('TITLE', 'beside')}></li></ul>"
    named = f"{box.replace('TITLE', 'named')} aria-label=Milk>"
    site.pages["/boxes"] = f"{STALL}{beside}<p id=p></p>"
    async with open_tab(browser, site.url("/boxes")) as tab:
        await tab.page.evaluate(f"standStill(() => {{ p.innerHTML = `{named}` }})")
        await tab("click", target={"role": "checkbox", "name": "Milk"})
        assert await tab.page.evaluate("document.title") == "named"


LIST = """<div id=box role=combobox tabindex=0 aria-controls=list aria-expanded=false>Fruit</div>
<ul id=list role=listbox hidden style="min-height: 20px"></ul><script>
  var clicks = 0;
  box.onclick = () => { list.hidden = false; box.ariaExpanded = 'true'; OPENED };
  const option = (name) => `<li role=option aria-selected=false>${name}</li>`;
  const fill = () => { list.innerHTML = ['Apple', 'Pear'].map(option).join('') };
  list.onclick = ({ target }) => {
    clicks += 1;
    const choose = () => { target.ariaSelected = 'true' };
    CHOSEN;
  };
</script>"""


async def test_options_that_a_page_was_about_to_add_are_waited_for(browser: int, site: Site) -> None:
    site.pages["/list"] = STALL + LIST.replace("OPENED", "standStill(fill)").replace("CHOSEN", "choose()")
    async with open_tab(browser, site.url("/list")) as tab:
        assert 'selected "Pear"' in await tab.text("select", selector="#box", value="Pear")
        assert await tab.page.evaluate("clicks") == 1


async def test_an_option_that_a_page_was_about_to_select_is_not_clicked_again(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choose, "_TAKEN_MS", 2_000)
    site.pages["/list"] = STALL + LIST.replace("OPENED", "fill()").replace("CHOSEN", "standStill(choose)")
    async with open_tab(browser, site.url("/list")) as tab:
        assert 'selected "Pear"' in await tab.text("select", selector="#box", value="Pear")
        assert await tab.page.evaluate("clicks") == 1
