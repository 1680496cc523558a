"""Choosing in widgets that take several options: what was chosen before is replaced, as in a select of the browser."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

# Its list closes after each choice, and leaves out what is chosen. `K` says how a chip is taken away.
CHIPS = """<style>#f { border: 1px solid grey; width: 30em } #l { position: absolute }</style><button onclick="document.title='!'">×</button> Basket
<div id=f><span id=c></span><input id=q role=combobox aria-label=Colours aria-expanded=false aria-controls=l style="border:0"></div>
<div id=l role=listbox hidden></div>SELECT<script>
const keys = KEYS, colours = ["Red", "Green", "Blue", "Black"];
let chosen = ["Red", "Black"];
function draw() {
  c.replaceChildren(...chosen.map((one) => {
    const chip = document.createElement("span"), cross = document.createElement("button");
    chip.textContent = one + " ";
    cross.ariaLabel = "Remove " + one;
    cross.onclick = () => set(chosen.filter((other) => other !== one));
    if (!keys) chip.append(cross);
    return chip;
  }));
  l.replaceChildren(...colours.filter((one) => !chosen.includes(one)).map((one) => {
    const row = document.createElement("div");
    row.role = "option"; row.textContent = one;
    row.onclick = () => { set([...chosen, one]); open(false) };
    return row;
  }));
  for (const one of globalThis.s?.options ?? []) one.selected = chosen.includes(one.text);
}
function set(now) { chosen = now; draw() }
function open(is) { l.hidden = !is; q.ariaExpanded = String(is) }
q.onclick = () => open(l.hidden);
q.onkeydown = ({ key }) => { if (key === "Escape") open(false); if (keys && key === "Backspace" && !q.value) set(chosen.slice(0, -1)) };
draw();
</script>"""
HIDDEN = "<select id=s multiple hidden><option>Red<option>Green<option>Blue<option>Black</select>"
CROSSES = CHIPS.replace("SELECT", "").replace("KEYS", "false")
BACKSPACE = CHIPS.replace("SELECT", HIDDEN).replace("KEYS", "true").replace("#l {", "#s {")

# Its list stays open, and is all that says what is chosen.
LIST = """<div id=b role=combobox tabindex=0 aria-label=Colours aria-haspopup=listbox aria-expanded=false aria-controls=l>choose</div>
<div id=l role=listbox aria-multiselectable=true hidden><div role=option aria-selected=true>Red</div><div role=option aria-selected=false>Green</div>
<div role=option aria-selected=false>Blue</div><div role=option aria-selected=true>Black</div></div><script>
const rows = [...l.children];
Object.defineProperty(globalThis, "chosen", { get: () => rows.filter((one) => one.ariaSelected === "true").map((one) => one.textContent) });
for (const row of rows) row.onclick = () => (row.ariaSelected = String(row.ariaSelected !== "true"));
function open(is) { l.hidden = !is; b.ariaExpanded = String(is) }
b.onclick = () => { open(l.hidden); b.focus() };
onkeydown = ({ key }) => key === "Escape" && open(false);
</script>"""

PAGES = {"crosses": CROSSES, "backspace": BACKSPACE, "list": LIST}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
@pytest.mark.parametrize(
    "wanted", [["Green", "Blue"], ["Red", "Green"], ["Blue", "Black"], ["Green"]], ids=["new", "first", "last", "one"]
)
async def test_the_choice_is_replaced(browser: int, site: Site, page: str, wanted: list[str]) -> None:
    site.pages["/several"] = page
    async with open_tab(browser, site.url("/several")) as tab:
        text = await tab.text("select", target={"role": "combobox"}, value=wanted)
        quoted = ", ".join(f'"{one}"' for one in wanted)
        assert f"selected {quoted} in" in text
        assert sorted(await tab.page.evaluate("chosen")) == sorted(wanted)
        assert await tab.page.evaluate("[l.hidden, document.title]") == [True, ""]


@pytest.mark.parametrize("page", [CROSSES, LIST], ids=["crosses", "list"])
async def test_a_field_of_chips_is_filled_with_a_list(browser: int, site: Site, page: str) -> None:
    site.pages["/several"] = page
    async with open_tab(browser, site.url("/several")) as tab:
        await tab("fill", target={"role": "combobox"}, value=["Blue", "Red"])
        assert sorted(await tab.page.evaluate("chosen")) == ["Blue", "Red"]
        await tab("select", target={"role": "combobox"}, value=[])
        assert await tab.page.evaluate("chosen") == []


async def test_choice_that_cannot_be_removed_is_reported(browser: int, site: Site) -> None:
    site.pages["/several"] = CROSSES.replace("set(chosen.filter(", "void (chosen.filter(")
    async with open_tab(browser, site.url("/several")) as tab:
        text = await tab.text("select", target={"role": "combobox"}, value=["Green"])
        assert 'selected "Green", "Red", "Black" in' in text
        filled = await tab.text("fill", target={"role": "combobox"}, value=["Green"])
        assert 'the page made it "Green, Red, Black"' in filled


async def test_remaining_choice_may_differ_in_case(browser: int, site: Site) -> None:
    site.pages["/several"] = (
        CROSSES.replace(".filter((one) => !chosen.includes(one))", "")
        .replace(
            'row.role = "option"; row.textContent = one;',
            'row.role = "option"; row.textContent = one; row.ariaSelected = String(chosen.includes(one));',
        )
        .replace(
            "set([...chosen, one]); open(false)",
            "set(chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one])",
        )
    )
    async with open_tab(browser, site.url("/several")) as tab:
        filled = await tab.text("fill", target={"role": "combobox"}, value=["red", "Blue"])
        assert sorted(await tab.page.evaluate("chosen")) == ["Blue", "Red"]
        assert "the page made it" not in filled


# As in the browser's own list: a click selects one option in place of all others, a click with Control one more.
ONE_BY_CLICK = """<div id=l role=listbox aria-multiselectable=true aria-label=Colours tabindex=0></div><script>
let chosen = CHOSEN;
function draw() {
  l.replaceChildren(...["Red", "Green", "Blue", "Black"].map((one) => {
    const row = document.createElement("div");
    row.role = "option"; row.textContent = one; row.ariaSelected = String(chosen.includes(one));
    row.onclick = ({ ctrlKey, metaKey }) => {
      const without = chosen.filter((other) => other !== one);
      chosen = ctrlKey || metaKey ? (chosen.includes(one) ? without : [...chosen, one]) : [one];
      draw();
    };
    return row;
  }));
}
draw();
</script>"""


@pytest.mark.parametrize("wanted", [["Green", "Blue", "Black"], ["Red", "Green"], ["Red"], []], ids=len)
async def test_options_of_exclusive_list_are_chosen_with_control_key(
    browser: int, site: Site, wanted: list[str]
) -> None:
    site.pages["/several"] = ONE_BY_CLICK.replace("CHOSEN", '["Red", "Black"]')
    async with open_tab(browser, site.url("/several")) as tab:
        await tab("select", target={"role": "listbox"}, value=wanted)
        assert sorted(await tab.page.evaluate("chosen")) == sorted(wanted)


async def test_option_dropped_by_list_is_not_reported_selected(browser: int, site: Site) -> None:
    page = ONE_BY_CLICK.replace("CHOSEN", "[]").replace("ctrlKey || metaKey", "false")
    site.pages["/several"] = page
    async with open_tab(browser, site.url("/several")) as tab:
        text = await tab.text("select", target={"role": "listbox"}, value=["Green", "Blue"])
        assert 'selected "Green" in' in text
        assert await tab.page.evaluate("chosen") == ["Green"]
