"""An effect that comes while nobody watches for it is found all the same."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from typing import Any

import pytest

from kapture.commands.core import later_effects, page_after
from kapture.page.page import Page
from tests.support.context import open_tab
from tests.support.settling import at
from tests.support.site import Site

pytestmark = pytest.mark.e2e


async def test_a_first_change_before_the_page_is_watched_for_it_is_not_waited_for(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_change = Page.first_change

    async def too_late(page: Page, *arguments: Any) -> bool:
        await page.evaluate("document.querySelector('p') ?? document.body.append(change)")
        return await first_change(page, *arguments)

    monkeypatch.setattr(later_effects, "FIRST_CHANGE_S", 600)
    monkeypatch.setattr(page_after, "TIMEOUT_MS", 600_000)
    monkeypatch.setattr(Page, "first_change", too_late)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<button id=x>Go</button><script>const change=document.createElement('p');change.textContent='Changed';"
            "x.onclick=()=>setTimeout(()=>1,1e6)</script>",
        )
        await tab("snapshot")
        assert "Changed" in await tab.text("click", selector="#x", timeout=30_000)


ROWS = """<div id=rows></div><button id=x>Send</button><button id=y>Add</button><div id=box style="position:fixed;bottom:0"></div><script>
let rows = ['Tea', 'Milk', 'Salt'];
const draw = () => rows_.innerHTML = rows.map((one) => `<div class=row><b>Ada</b> ${one} <button aria-label=Like>+</button></div>`).join('');
const rows_ = document.getElementById('rows');
draw();
const toast = () => { box.innerHTML = '<p>Sent</p>'; return new Promise(requestAnimationFrame).then(() => (box.innerHTML = '')) };
x.onclick = () => { rows = [...rows.slice(1), 'Bread']; draw(); toast().then(toast).then(draw) };
const row = document.createElement('div');
y.onclick = () => { rows_.append(row); row.textContent = 'Salad, fresh'; requestAnimationFrame(() => (row.textContent = 'Salad, sold')) }</script>"""


async def test_rows_that_are_rendered_anew_are_no_messages(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, ROWS)
        await tab("snapshot")
        answer = await tab.text("click", selector="#x")
        messages = [line for line in answer.splitlines() if line.startswith("!")]
        assert messages == ['! "Sent" (appeared and disappeared)']
        # A row that has come and then says something else has not disappeared.
        answer = await tab.text("click", selector="#y")
        assert "Salad, sold" in answer
        assert "!" not in answer


MAP = """<div id=map style="width:300px;height:200px;overflow:hidden"><div id=land style="transform: translate(0px, 0px)"></div></div>
<script>let from; map.onmousedown = (event) => (from = event.clientX);
onmousemove = (event) => { if (from) land.style.transform = `translate(${event.clientX - from}px, 0px)` }; onmouseup = () => (from = 0)</script>"""


async def test_what_a_drag_only_moves_inside_of_an_element_is_told(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, MAP)
        await tab("snapshot")
        answer = await tab.text("drag", source={"x": 50, "y": 50}, target={"x": 150, "y": 50})
        assert 'style "transform: translate(100px, 0px)" (was ' in answer
