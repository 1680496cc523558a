"""Choosing and switching in widgets that stand for a control of the browser, which lies in them unseen."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

# The select is set by the widget, and does not set it. What Enter would choose is marked as selected, and is told so.
WIDGET = """<style>select { opacity: 0; pointer-events: none; position: absolute } .next::after { content: "Press to select" }</style>
<label for=s>Extras</label><div id=w role=combobox tabindex=0 aria-expanded=false aria-haspopup=listbox><select id=s multiple></select>
<p id=p></p><input id=q type=search aria-label=Extras>
<div id=l role=listbox aria-multiselectable=true hidden><div id=o style="height:60px; overflow:auto"></div></div></div><script>
for (let i = 0; i < 300; i++) s.append(new Option("Extra " + i));
const chosen = () => [...s.selectedOptions].map((one) => one.text);
function draw() {
  const left = [...s.options].filter((one) => !one.selected && one.text.includes(q.value)).slice(0, 5);
  o.replaceChildren(...left.map(({ text }, i) => {
    const row = document.createElement("div");
    row.role = "option"; row.textContent = text; row.className = i ? "" : "next"; row.ariaSelected = String(!i);
    row.onclick = (e) => { e.stopPropagation(); [...s.options].find((one) => one.text === text).selected = true; q.value = ""; draw(); q.focus() };
    return row;
  }));
  p.textContent = chosen().join();
}
w.onclick = () => { l.hidden = false; w.ariaExpanded = "true"; draw(); q.focus() };
w.onkeydown = ({ key }) => { if (key === "Escape") { l.hidden = true; w.ariaExpanded = "false" } };
q.oninput = draw; draw();
</script>"""


@pytest.mark.parametrize("labels", [["Extra 0", "Extra 1"], ["Extra 250", "Extra 7"]], ids=["in the list", "searched"])
async def test_a_widget_that_stands_for_a_select_is_chosen_in(browser: int, site: Site, labels: list[str]) -> None:
    site.pages["/widget"] = WIDGET
    async with open_tab(browser, site.url("/widget")) as tab:
        await tab("select", target={"label": "Extras"}, label=labels, timeout=60_000)
        shown = await tab.page.evaluate("[p.textContent, chosen().join(), w.ariaExpanded]")
        assert [sorted(shown[0].split(",")), sorted(shown[1].split(",")), shown[2]] == [
            sorted(labels),
            sorted(labels),
            "false",
        ]


# A click on the label sets the box, and the page then puts it back: a click on what is drawn does not.
SWITCH = """<label for=x>Express</label><p>Sent at once</p><div id=s style="cursor:pointer; width:40px; height:20px; background:grey">
<input type=checkbox id=x style="opacity:0; width:0; height:0; position:absolute"></div><script>
let on = false;
s.onclick = (event) => { event.preventDefault(); on = !on; x.checked = on };
</script>"""


async def test_a_switch_is_clicked_where_it_is_drawn_and_not_where_it_is_labelled(browser: int, site: Site) -> None:
    site.pages["/switch"] = SWITCH
    async with open_tab(browser, site.url("/switch")) as tab:
        for wanted in (True, False):
            await tab("fill", target={"label": "Express"}, value=wanted)
            assert await tab.page.evaluate("[on, x.checked]") == [wanted, wanted]
