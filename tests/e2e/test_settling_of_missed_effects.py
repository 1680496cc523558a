"""An effect that comes while nobody watches for it is found all the same."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from typing import Any

import pytest

from kapture.commands.core import page_after
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

    monkeypatch.setattr(page_after, "FIRST_CHANGE_S", 600)
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


ROWS = """<div id=rows></div><button id=x>Send</button><div id=box style="position:fixed;bottom:0"></div><script>
let rows = ['Tea', 'Milk', 'Salt'];
const draw = () => rows_.innerHTML = rows.map((one) => `<div class=row><b>Ada</b> ${one} <button aria-label=Like>+</button></div>`).join('');
const rows_ = document.getElementById('rows');
draw();
const toast = () => { box.innerHTML = '<p>Sent</p>'; return new Promise(requestAnimationFrame).then(() => (box.innerHTML = '')) };
x.onclick = () => { rows = [...rows.slice(1), 'Bread']; draw(); toast().then(toast).then(draw) }</script>"""


async def test_rows_that_are_rendered_anew_are_no_messages(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, ROWS)
        await tab("snapshot")
        answer = await tab.text("click", selector="#x")
        messages = [line for line in answer.splitlines() if line.startswith("!")]
        assert messages == ['! "Sent" (appeared and disappeared)']
