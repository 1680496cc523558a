"""Choosing options of lists that have no roles, and of those that a field suggests."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from kapture.errors import KaptureError
from kapture.page.documents.frame import AGENT_WORLD
from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

# Lists of plain elements, as Fomantic UI and Materialize build them.
PLAIN_LISTS = """<style>#list, #search-list { position: absolute; display: none; cursor: pointer } .open { display: block !important }</style>
<p>Dog</p><label>Pet <input id=pet readonly value=Choose></label><div id=list><div>Cat</div><div><i></i>Dog</div></div>
<label>Topping <input id=search></label><div id=search-list><div>Ham</div><div>Olives</div></div><div id=picked></div>
<div style="position:absolute; top: 200px; cursor:pointer" onclick="this.textContent='pressed'">Ham</div>
<script>
for (const [field, box] of [[pet, list], [search, document.getElementById("search-list")]]) {
  field.onclick = () => box.classList.add("open");
  box.onclick = ({ target }) => {
    if (field === pet) { field.value = target.textContent; box.classList.remove("open") }
    else { picked.append(target.textContent + ";"); target.remove() }
  };
}
</script>"""


async def test_a_list_without_roles_is_chosen_from_by_what_has_come_up(browser: int, site: Site) -> None:
    site.pages["/plain"] = PLAIN_LISTS
    async with open_tab(browser, site.url("/plain")) as tab:
        assert (await tab.data("select", target={"label": "Pet"}, label="Dog"))["selected"] == ["Dog"]
        assert await tab.page.evaluate("pet.value") == "Dog"
        chosen = await tab.data("select", target={"label": "Topping"}, label=["Olives", "Ham"])
        assert chosen["selected"] == ["Olives", "Ham"]
        assert await tab.page.evaluate("picked.textContent") == "Olives;Ham;"


SUGGESTIONS = """<label>From <input id=from autocomplete=off></label><label>To <input id=to></label><script>
for (const field of [document.getElementById("from"), to]) field.oninput = () => {
  setTimeout(() => {
    document.getElementById("like")?.remove();
    const box = document.createElement("div");
    box.id = "like";
    box.style = "position:absolute; background:white";
    for (const town of ["Berlin", "Bern", "Bonn"].filter((one) => one.startsWith(field.value))) {
      const one = box.appendChild(document.createElement("div"));
      one.textContent = town;
      one.onclick = () => { field.value = town; field.dataset.chosen = town; box.remove() };
    }
    field.after(box);
  }, 100);
}</script>"""


async def test_a_form_is_filled_with_what_its_fields_suggest(browser: int, site: Site) -> None:
    site.pages["/suggestions"] = SUGGESTIONS + "<label>Day <input type=date id=day></label><button id=go>Go</button>"
    async with open_tab(browser, site.url("/suggestions")) as tab:
        sent = "[...document.querySelectorAll('input')].map((one) => one.dataset.chosen ?? one.value)"
        await tab.page.evaluate(f"go.onclick = () => {{ window.sent = {sent} }}")
        fields = [
            {"target": {"label": "From"}, "value": "Bern", "choose": True},
            {"target": {"label": "To"}, "value": "Bonn", "choose": True},
            {"target": {"label": "Day"}, "value": "2026-06-12"},
        ]
        answer = await tab.text("fill_form", fields=fields, submit_target={"role": "button"})
        assert answer.splitlines()[0] == "filled 3 of 3 fields"
        assert await tab.page.evaluate("sent") == ["Bern", "Bonn", "2026-06-12"]


WITHOUT_OPEN = """const { matches } = Element.prototype;
Element.prototype.matches = function (selector) {
  if (selector.includes(":open")) throw new SyntaxError(selector);
  return matches.call(this, selector);
}; 1"""


@pytest.mark.parametrize("earlier", ["", WITHOUT_OPEN], ids=["this browser", "one without :open"])
async def test_the_words_of_an_option_that_nobody_sees_are_no_target(browser: int, site: Site, earlier: str) -> None:
    site.pages["/drawn"] = """<select style="opacity:0"><option>Cat<option>Dog</select>
    <ul><li>Cat<li onclick="this.textContent='chosen'">Dog</ul><select size=2><option>Tea<option id=milk>Milk</select>"""
    async with open_tab(browser, site.url("/drawn")) as tab:
        await tab.page.evaluate(earlier, world=AGENT_WORLD)
        await tab("click", target={"text": "Dog"})
        assert await tab.page.evaluate("document.querySelector('ul').textContent") == "Catchosen"
        await tab("click", target={"text": "Milk"})
        assert await tab.page.evaluate("milk.selected") is True


@pytest.mark.parametrize("wanted", [{"value": "BS"}, {"label": "Basel"}, {"index": 1}], ids=["value", "label", "index"])
async def test_suggestion_of_field_can_be_chosen(browser: int, site: Site, wanted: dict[str, str | int]) -> None:
    site.pages["/suggests"] = """<label>City <input list=l onchange="document.title = this.value"></label>
    <datalist id=l><option value=Bern><option value=BS>Basel</option></datalist>"""
    async with open_tab(browser, site.url("/suggests")) as tab:
        await tab("select", target={"label": "City"}, timeout=60_000, **wanted)
        assert await tab.page.evaluate("document.title") == "BS"
        with pytest.raises(KaptureError, match='Its options are: "Bern", "Basel"'):
            await tab("select", target={"label": "City"}, value="Chur", timeout=60_000)


async def test_a_select_whose_list_is_open_in_the_page_says_so(browser: int, site: Site) -> None:
    site.pages["/drawn"] = (
        "<style>select, ::picker(select) { appearance: base-select }</style>"
        "<label>Carrier <select id=x><option>Ship<option>Train</select></label>"
    )
    async with open_tab(browser, site.url("/drawn")) as tab:
        await tab("snapshot")
        assert 'combobox "Carrier" [expanded]' in await tab.text("click", selector="#x")
        answer = await tab.text("click", target={"role": "option", "name": "Train"})
        assert 'combobox "Carrier"' in answer
        assert await tab.page.evaluate("x.value") == "Train"


BEHIND_STYLED_LISTS = """<style>.box { position: relative; width: 200px; height: 20px } ul { position: absolute; top: 100%; left: 0; margin: 0; width: 100%; height: 200px; background: white; display: none } .open ul { display: block }
button { display: block; width: 200px; height: 40px } .speck { position: absolute; width: 1px; height: 1px; clip: rect(0 0 0 0) } .clear { position: absolute; opacity: 0 } .beneath + div { position: absolute; inset: 0; background: white }</style>
<div class=box><select id=one></select><div id=styled tabindex=0>Choose</div><ul><li>Cat<li>Dog</ul></div>
<button id=go onclick="went = one.value">Go</button><script>
const box = document.querySelector(".box"), open = () => box.classList.add("open"), close = () => box.classList.remove("open");
one.append(new Option("Cat"), new Option("Dog"));
one.className = new URLSearchParams(location.search).get("hidden");
one.onfocus = styled.onfocus = styled.onclick = open;
if (location.search.includes("outside")) onpointerdown = ({ target }) => box.contains(target) || close();
else one.onblur = styled.onblur = close;
</script>"""


@pytest.mark.parametrize("hidden", ["speck&outside", "clear&outside", "beneath&outside", "speck"])
async def test_styled_list_of_hidden_select_is_closed_after_the_choice(browser: int, site: Site, hidden: str) -> None:
    site.pages["/behind"] = BEHIND_STYLED_LISTS
    async with open_tab(browser, site.url(f"/behind?hidden={hidden}")) as tab:
        if "outside" not in hidden:
            await tab.page.evaluate("styled.focus()")
        assert (await tab.data("select", selector="#one", value="Dog"))["selected"] == ["Dog"]
        await tab("click", selector="#go", timeout=5_000)
        assert await tab.page.evaluate("went") == "Dog"
