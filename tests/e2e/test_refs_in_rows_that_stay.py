"""Refs of elements that a page replaces by equal ones in a row or list that stays."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import re

import pytest

from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site

pytestmark = pytest.mark.e2e

START = "<div id=app></div><script>const log = []; const press = (what) => log.push(what);"

# The rows stay, their cells are rendered anew.
BASKET = (
    START
    + """
let items = [['Tea', 1], ['Milk', 2], ['Bread', 3]];
app.innerHTML = '<table><tr><th>What<th>Count<th>Act</tr>' + items.map(() => '<tr></tr>').join('') + '</table>';
const draw = () => [...app.querySelectorAll('tr')].slice(1).forEach((row, at) => { const [one, count] = items[at];
  row.innerHTML = `<td>${one}<td>${count}<td><button onclick="press('${one}')">One more</button>` });
draw()</script>"""
)

# The box of the buttons stays, beside what they are for.
ACTIONS = (
    START
    + """
let item = 'Tea';
app.innerHTML = '<p></p><div></div>';
const draw = () => { app.firstChild.textContent = item;
  app.lastChild.innerHTML = ['Edit', 'Delete'].map(one => `<button onclick="press('${item}')">${one}</button>`).join('') };
draw()</script>"""
)

# What a page does between the snapshot and the press of the nth element with these words, and what must be pressed.
SAME: dict[str, tuple[str, str, str, int, str]] = {
    "other rows say what they said": (BASKET, "One more", "items[1][1] = 3; draw()", 0, "Tea"),
}


@pytest.mark.parametrize(("html", "words", "change", "nth", "wanted"), SAME.values(), ids=SAME)
@pytest.mark.parametrize("looks", [False, True])
async def test_an_element_keeps_its_ref_in_what_stays(
    browser: int, site: Site, html: str, words: str, change: str, nth: int, wanted: str, looks: bool
) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        ref = re.findall(rf"{re.escape(words)}[^\n]*?ref=(e\d+)", await tab.text("snapshot"))[nth]
        await tab.page.evaluate(change)
        if looks:
            assert ref in re.findall(r"e\d+", await tab.text("snapshot"))
        await tab("click", target=ref)
        assert await tab.page.evaluate("log") == [wanted]


OTHERS: dict[str, tuple[str, str, str, int]] = {
    "its row stays, for another item": (BASKET, "One more", "items.shift(); items.push(['Salt', 1]); draw()", 0),
    "a number in its row changes": (BASKET, "One more", "items[1][1] = 3; draw()", 1),
    "the same item has numbers of others": (
        BASKET,
        "One more",
        "items = [['Tea', 2], ['Tea', 3], ['Bread', 3]]; draw()",
        1,
    ),
    "what its buttons are for is another": (ACTIONS, "Delete", "item = 'Milk'; draw()", 0),
}


@pytest.mark.parametrize(("html", "words", "change", "nth"), OTHERS.values(), ids=OTHERS)
async def test_an_element_loses_its_ref_when_what_stays_is_for_something_else(
    browser: int, site: Site, html: str, words: str, change: str, nth: int
) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, html)
        ref = re.findall(rf"{re.escape(words)}[^\n]*?ref=(e\d+)", await tab.text("snapshot"))[nth]
        await tab.page.evaluate(change)
        assert (await tab.fails("click", target=ref)).code is ErrorCode.REF_EXPIRED
        assert await tab.page.evaluate("log") == []
