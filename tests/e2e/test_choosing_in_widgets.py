"""Choosing and switching in widgets that stand for a control of the browser, which lies in them unseen."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode, KaptureError
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


@pytest.mark.parametrize("target", [{"css": "#w"}, {"role": "searchbox", "name": "Extras"}], ids=["widget", "search"])
@pytest.mark.parametrize("labels", [["Extra 0", "Extra 1"], ["Extra 250", "Extra 7"]], ids=["in the list", "searched"])
async def test_a_widget_that_stands_for_a_select_is_chosen_in(
    browser: int, site: Site, labels: list[str], target: dict[str, str]
) -> None:
    site.pages["/widget"] = WIDGET
    async with open_tab(browser, site.url("/widget")) as tab:
        await tab("select", target=target, label=labels, timeout=60_000)
        shown = await tab.page.evaluate("[p.textContent, chosen().join(), w.ariaExpanded]")
        assert [sorted(shown[0].split(",")), sorted(shown[1].split(",")), shown[2]] == [
            sorted(labels),
            sorted(labels),
            "false",
        ]


# It lets one choose several, and does not say so.
OPEN = """<input id=c role=combobox aria-label=Colours aria-expanded=false aria-controls=l readonly><p id=p></p>
<div id=l role=listbox hidden style="position:absolute">
<div role=option aria-selected=false>Red</div><div role=option aria-selected=false>Blue</div></div><script>
const show = (open) => { l.hidden = !open; c.ariaExpanded = String(open) };
c.onclick = () => show(true);
c.onkeydown = ({ key }) => { if (key === "Escape") show(false) };
l.onclick = ({ target }) => { target.ariaSelected = "true"; p.append(target.textContent + " "); c.focus() };
</script>"""


@pytest.mark.parametrize("wanted", [["Red"], ["Red", "Blue"]])
async def test_a_list_that_stays_open_once_something_is_chosen_is_closed(
    browser: int, site: Site, wanted: list[str]
) -> None:
    site.pages["/open"] = OPEN
    async with open_tab(browser, site.url("/open")) as tab:
        await tab("select", target={"label": "Colours"}, value=wanted, timeout=60_000)
        assert await tab.page.evaluate("[p.textContent.trim(), l.hidden]") == [" ".join(wanted), True]


INLINE = """<div id=l role=listbox aria-label=Size tabindex=0>
<div role=option style="height:40px">S</div><div role=option style="height:40px">M</div><div role=option style="height:40px">4</div></div>
<div id=g role=radiogroup aria-label=View style="width:300px">
<label><input type=radio name=v>Day</label><label><input type=radio name=v>Week</label><label><input type=radio name=v>4</label></div><p id=p></p>
<script>l.onclick = ({ target }) => p.append(target.textContent + " "); g.onchange = ({ target }) => p.append(target.parentNode.textContent + " ")</script>"""


@pytest.mark.parametrize("name", ["Size", "View"])
@pytest.mark.parametrize("command", ["fill", "select"])
async def test_a_choice_that_is_shown_whole_is_not_opened_by_a_click(
    browser: int, site: Site, command: str, name: str
) -> None:
    """A click to open it would choose what is in its middle."""
    site.pages["/inline"] = INLINE
    async with open_tab(browser, site.url("/inline")) as tab:
        with pytest.raises(KaptureError, match="has no option") as refused:
            await tab(command, target={"label": name}, value="XL", timeout=60_000)
        assert refused.value.code == ErrorCode.ELEMENT_NOT_FOUND
        assert await tab.page.evaluate("p.textContent") == ""
        await tab(command, target={"label": name}, value="4", timeout=60_000)
        assert await tab.page.evaluate("p.textContent") == "4 "


MENUS = """<style>#b { position: absolute; top: 60px; display: flex }</style>
<input id=c readonly aria-label=Place><input id=q readonly aria-label=Quantity><div id=b></div><script>
const tree = { North: { Oslo: 0, "A / B": 0 }, South: { Rome: { Centre: 0 } } };
function menu(node, path) {
  const one = document.createElement("ul");
  one.role = "menu";
  for (const name of Object.keys(node)) {
    const item = document.createElement("li");
    item.role = "menuitem"; item.textContent = name; item.ariaHasPopup = node[name] ? "menu" : null; item.ariaSelected = "false";
    item.onclick = () => {
      while (one.nextSibling) one.nextSibling.remove();
      if (node[name]) return menu(node[name], [...path, name]);
      c.value = [...path, name].join(" > "); b.innerHTML = ""
    };
    one.append(item);
  }
  b.append(one);
  return one;
}
c.onclick = () => { b.innerHTML = ""; menu(tree, []); if (c.value) menu(tree.North, ["North"]) };
</script>"""


async def test_an_option_in_menus_that_open_one_another_is_chosen_by_its_path(browser: int, site: Site) -> None:
    site.pages["/menus"] = MENUS
    async with open_tab(browser, site.url("/menus")) as tab:
        for path, value in {
            "North / Oslo": "North > Oslo",
            "South > Rome > Centre": "South > Rome > Centre",  # while the menu of North is open, too
            "North/A / B": "North > A / B",
        }.items():
            await tab("select", target={"label": "Place"}, value=path, timeout=60_000)
            assert await tab.page.evaluate("c.value") == value
        refused = await tab.fails("select", target={"label": "Place"}, value="North / Rome", timeout=60_000)
        assert 'has no option \'Rome\'. Its options are: "Oslo", "A / B".' in refused.message
        assert refused.hint == "Choose one that it has."
        await tab.page.evaluate("b.innerHTML = c.value = ''")
        refused = await tab.fails("select", target={"label": "Place"}, value="Rome", timeout=60_000)
        assert refused.hint == 'Choose one that it has, or the path to one: "North / …".'


async def test_a_list_that_closes_because_the_field_has_lost_the_focus_is_opened_again(
    browser: int, site: Site
) -> None:
    site.pages[
        "/late"
    ] = """<input id=q role=combobox aria-label=City aria-expanded=false aria-controls=l><ul id=l role=listbox hidden>
      </ul><button id=b onkeydown="pressed.push(event.key)">Search</button><script>
      const pressed = [], show = (shown) => { l.hidden = !shown; q.setAttribute('aria-expanded', shown) };
      q.oninput = () => {
        l.innerHTML = ['Berlin', 'Bergen'].filter((c) => c.startsWith(q.value)).map((c) => `<li role=option>${c}</li>`).join('');
        show(true) };
      l.onmousedown = (e) => { e.preventDefault(); q.value = e.target.textContent; show(false) };
      q.onblur = () => setTimeout(show, 400, false);</script>"""
    async with open_tab(browser, site.url("/late")) as tab:
        await tab("fill", selector="#q", value="Berlin")
        await tab("click", selector="#b")
        await tab("select", selector="#q", value="Bergen")
        assert await tab.page.evaluate("[q.value, pressed.join()]") == ["Bergen", ""]
