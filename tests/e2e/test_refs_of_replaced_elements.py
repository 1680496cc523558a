"""Refs of elements that a page replaces by equal ones go on naming them, and never name anything else."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from kapture.errors import ErrorCode
from tests.support.context import Tab, open_tab
from tests.support.settling import at
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({}) as site:
        yield site


# Every page renders everything anew; what is pressed is logged.
START = "<div id=app></div><script>const log = []; const press = (what) => log.push(what);"

SHOP = (
    START
    + """
let items = ['Tea', 'Milk', 'Bread'];
const draw = () => app.innerHTML = '<h1>Cart</h1><ul>' + items.map(one => `<li><b>${one}</b> <button onclick="press('${one}')">Delete</button></li>`).join('') +
  '</ul><button onclick="press(`all`)">Check out</button>';
draw()</script>"""
)

DIVS = (
    START
    + """
let items = ['Tea', 'Milk', 'Bread'];
const draw = () => app.innerHTML = items.map(one => `<div><span>${one}</span><button onclick="press('${one}')">Delete</button></div>`).join('');
draw()</script>"""
)

TABLE = (
    START
    + """
let items = ['Tea', 'Milk', 'Bread'];
const draw = () => app.innerHTML = '<table><tr><th>Name<th>Act</tr>' + items.map(one => `<tr><td>${one}<td><button onclick="press('${one}')">Delete</button></tr>`).join('') + '</table>';
draw()</script>"""
)

DETAIL = (
    START
    + """
let item = 'Tea';
const draw = () => app.innerHTML = `<h2>Details</h2><div><p>${item}</p><div><button onclick="press('${item}')">Delete</button></div></div>`;
draw()</script>"""
)

PANELS = (
    START
    + """
let at = 'Profile'; const fields = { Profile: ['Alias', 'Mail'], Billing: ['Card', 'Street'] };
const draw = () => app.innerHTML = '<div role=tabpanel>' + '<ul>' + fields[at].map(one => `<li>${one}</li>`).join('') + `</ul><button onclick="press('${at}')">Save</button></div>`;
draw()</script>"""
)

LISTS = (
    START
    + """
let left = ['Tea'], right = [];
const list = (name, items) => `<ul aria-label=${name}>` + items.map(one => `<li>${one} <button onclick="press('${name} ${one}')">Move</button></li>`).join('') + '</ul>';
const draw = () => app.innerHTML = list('Cart', left) + list('Later', right);
draw()</script>"""
)

INPUTS = (
    START
    + """
let items = ['Tea', 'Milk', 'Bread'];
const draw = () => app.innerHTML = '<ul>' + items.map(one => `<li><input aria-label=Item value=${one}><button onclick="press('${one}')">Delete</button></li>`).join('') + '</ul>';
draw()</script>"""
)


async def refs_of(tab: Tab, words: str) -> list[str]:
    """The refs of the elements with these words, in order."""
    answer = await tab.text("snapshot")
    return re.findall(rf"{re.escape(words)}[^\n]*?ref=(e\d+)", answer)


async def pressed(tab: Tab) -> list[str]:
    found: list[str] = await tab.page.evaluate("log")
    return found


# What a page does between the snapshot and the press of the nth "Delete", and what must be pressed.
SAME: dict[str, tuple[str, str, str, int, str]] = {
    "all of the page is rendered anew": (SHOP, "Delete", "draw()", 1, "Milk"),
    "twice": (SHOP, "Delete", "draw(); draw()", 1, "Milk"),
    "another item is added": (SHOP, "Delete", "items.push('Salt'); draw()", 1, "Milk"),
    "another item is deleted": (SHOP, "Delete", "items.shift(); draw()", 1, "Milk"),
    "a row of a table is deleted": (TABLE, "Delete", "items.shift(); draw()", 2, "Bread"),
    "the list is sorted": (SHOP, "Delete", "items.sort(); draw()", 0, "Tea"),
    "boxes are rendered anew": (DIVS, "Delete", "draw()", 1, "Milk"),
    "a button beside the list": (SHOP, "Check out", "items.push('Salt'); draw()", 0, "all"),
    "a detail is rendered anew": (DETAIL, "Delete", "draw()", 0, "Tea"),
    "items in fields are rendered anew": (INPUTS, "Delete", "draw()", 1, "Milk"),
    "a panel is rendered anew": (PANELS, "Save", "draw()", 0, "Profile"),
}


@pytest.mark.parametrize(("html", "words", "change", "nth", "wanted"), SAME.values(), ids=SAME)
@pytest.mark.parametrize("how", ["at once", "in a batch", "after a snapshot"])
async def test_a_ref_names_the_equal_element_that_has_taken_the_place_of_its_own(
    browser: int, site: Site, html: str, words: str, change: str, nth: int, wanted: str, how: str
) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        ref = (await refs_of(tab, words))[nth]
        if how == "in a batch":
            steps: list[dict[str, Any]] = [
                {"command": "evaluate", "arguments": {"code": change}},
                {"command": "click", "arguments": {"target": ref}},
            ]
            answer = await tab("batch", steps=steps)
            assert answer.data["done"] == 2, answer.text
        else:
            await tab.page.evaluate(change)
            if how == "after a snapshot":
                assert ref in await tab.text("snapshot")
            await tab("click", target=ref)
        assert await pressed(tab) == [wanted]


# What looks alike and is not the same: nothing is pressed, and the error names what is there.
OTHERS: dict[str, tuple[str, str, str, int]] = {
    "its row is gone, and the next one slid up": (SHOP, "Delete", "items.shift(); draw()", 0),
    "its row of a table is gone": (TABLE, "Delete", "items.shift(); draw()", 0),
    "its row is another": (SHOP, "Delete", "items[0] = 'Salt'; draw()", 0),
    "the only row is another": (SHOP, "Delete", "items = ['Milk']; draw()", 0),
    "its item, which was in a field, is another": (INPUTS, "Delete", "items.shift(); items.push('Salt'); draw()", 0),
    "its box is gone": (DIVS, "Delete", "items.shift(); draw()", 0),
    "boxes are sorted": (DIVS, "Delete", "items.sort(); draw()", 0),
    "two rows say the same": (SHOP, "Delete", "items.push('Tea'); draw()", 0),
    "another item is shown": (DETAIL, "Delete", "item = 'Milk'; draw()", 0),
    "another tab's panel": (PANELS, "Save", "at = 'Billing'; draw()", 0),
    "it is in another list": (LISTS, "Move", "left = []; right = ['Tea']; draw()", 0),
    "its like is in another list": (LISTS, "Move", "left = []; right = ['Tea']; draw()", 0),
}


@pytest.mark.parametrize(("html", "words", "change", "nth"), OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("looks", [False, True])
async def test_a_ref_never_comes_to_name_what_only_looks_alike(
    browser: int, site: Site, html: str, words: str, change: str, nth: int, looks: bool
) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        ref = (await refs_of(tab, words))[nth]
        await tab.page.evaluate(change)
        if looks:
            assert ref not in re.findall(r"e\d+", await tab.text("snapshot", format="json"))
        error = await tab.fails("click", target=ref)
        assert error.code is ErrorCode.REF_EXPIRED
        assert await pressed(tab) == []


async def test_the_error_for_a_ref_names_what_is_called_the_same(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, SHOP)
        ref = (await refs_of(tab, "Delete"))[0]
        await tab.page.evaluate("items.shift(); draw()")
        error = await tab.fails("click", target=ref)
        assert [one["role"] for one in error.data["candidates"]] == ["button", "button"]
        [milk, bread] = error.data["candidates"]
        assert "Milk" in milk["context"]
        assert f'{bread["ref"]} in listitem "Bread"' in error.message
        await tab("click", target=milk["ref"])
        assert await pressed(tab) == ["Milk"]


async def test_readers_and_scripts_find_the_element_that_has_taken_the_place(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, SHOP)
        ref = (await refs_of(tab, "Check out"))[0]
        for read in ("get_text", "get_html"):
            await tab.page.evaluate("draw()")
            assert "Check out" in await tab.text(read, target=ref)
        await tab.page.evaluate("draw()")
        answer = await tab.data("evaluate", code="element => element.isConnected", target=ref)
        assert answer["value"] is True


async def test_nothing_has_changed_where_all_was_replaced_by_the_same(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, SHOP)
        await tab("snapshot")
        await tab.page.evaluate("draw()")
        assert "no change" in await tab.text("snapshot", since="last")


PER_KEY = (
    START
    + """
const v = { a: '', b: '' };
const draw = () => { const at = document.activeElement?.id;
  app.innerHTML = `<h1>Sign up</h1><form><label>Mail <input id=a></label>${v.a && !v.a.includes('@') ? '<p>not a mail</p>' : ''}
    <label>Phone <input id=b></label><p>${v.a.length} letters</p></form>`;
  for (const k of ['a', 'b']) { const field = document.getElementById(k); field.value = v[k]; field.oninput = () => { v[k] = field.value; draw() } }
  if (at) document.getElementById(at)?.focus() };
draw()</script>"""
)


@pytest.mark.parametrize("how", ["alone", "batch", "form"])
async def test_fields_that_are_rendered_anew_at_each_input_are_filled(browser: int, site: Site, how: str) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, PER_KEY)
        shown = await tab.text("snapshot")
        mail, phone = (re.findall(rf'"{name}"[^\n]*?ref=(e\d+)', shown)[0] for name in ("Mail", "Phone"))
        values = [(mail, "x@y"), (phone, "12")]
        if how == "form":
            answer = await tab.data("fill_form", fields=[{"target": ref, "value": value} for ref, value in values])
            assert [field["filled"] for field in answer["results"]] == [True] * 2
        elif how == "batch":
            steps = [{"command": "fill", "arguments": {"target": ref, "value": value}} for ref, value in values]
            assert (await tab.data("batch", steps=steps))["done"] == 2
        else:
            for ref, value in values:
                await tab("fill", target=ref, value=value)
            await tab("type", target=mail, text="z")
        assert await tab.page.evaluate("[v.a, v.b]") == ["x@yz" if how == "alone" else "x@y", "12"]


async def test_a_field_that_no_snapshot_has_shown_is_filled_while_it_is_rendered_anew(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, PER_KEY)
        await tab("fill", target={"role": "textbox", "name": "Mail"}, value="x@y")
        await tab("type", target={"role": "textbox", "name": "Mail"}, text="z")
        assert await tab.page.evaluate("[v.a, v.b]") == ["x@yz", ""]


ANSWERED = (
    START
    + """
let left = ['first', 'second'];
const draw = () => { app.innerHTML = left.map(one => `<p>${one} <input aria-label=Answer name=${one}></p>`).join('');
  for (const field of document.querySelectorAll('input')) field.oninput = () => { log.push(field.value); left = left.slice(1); draw() } };
draw()</script>"""
)


async def test_text_for_removed_field_is_not_written_into_field_of_same_name(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, ANSWERED)
        error = await tab.fails("fill", target={"css": "input[name=first]"}, value="yes")
        assert error.code is ErrorCode.VALUE_REFUSED
        assert await tab.page.evaluate("[log, document.querySelector('input').value]") == [["yes"], ""]


SWITCHES = (
    START
    + """
let on = {};
const draw = () => app.innerHTML = ['Wifi', 'Sound'].map(name => `<div role=switch tabindex=0 aria-label=${name}
  aria-checked=${!!on[name]} onclick="on.${name} = !on.${name}; draw()">${on[name] ? 'on' : 'off'}</div>`).join('');
draw()</script>"""
)


@pytest.mark.parametrize("form", [False, True])
async def test_switches_that_say_their_state_are_set_though_they_are_rendered_anew(
    browser: int, site: Site, form: bool
) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, SWITCHES)
        fields = [{"target": {"role": "switch", "name": name}, "value": True} for name in ("Wifi", "Sound")]
        if form:
            answer = await tab.data("fill_form", fields=fields)
            assert [field["filled"] for field in answer["results"]] == [True] * 2
        else:
            for field in fields:
                await tab("fill", **field)
        assert await tab.page.evaluate("[on.Wifi, on.Sound]") == [True, True]


async def test_an_element_that_was_renamed_is_not_replaced(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, START + "</script><p>Ann</p><button id=a onclick=\"press('Ann')\">Follow</button>")
        ref = (await refs_of(tab, "Follow"))[0]
        await tab.page.evaluate(
            "a.textContent = 'Following', a.insertAdjacentHTML('beforebegin', '<button onclick=press(`Bob`)>Follow</button>')"
        )
        await tab("snapshot")
        assert (await tab.fails("click", target=ref)).code is ErrorCode.REF_EXPIRED
        assert await pressed(tab) == []
