"""Messages that appear and disappear while an action settles are in its answer, and nothing else is taken for one."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from kapture.page.actions.click import click
from tests.support.context import open_tab
from tests.support.settling import at, slow
from tests.support.site import Site

pytestmark = pytest.mark.e2e


async def test_a_message_that_comes_and_goes_during_the_action_is_kept(browser: int, site: Site) -> None:
    site.pages["/data"] = slow("{}", 0.2)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            """<button id=x onclick="const t=document.createElement('div');t.setAttribute('role','status');t.textContent='Saved for you';
            document.body.append(t);setTimeout(()=>t.remove(),60);fetch('/data')">Go</button>""",
        )
        async with tab.page.acting(thorough=True) as outcome:
            await click(tab.page, "#x")
        assert outcome.transients == ["Saved for you"]


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


FADING = """<style>.shut { animation: 0.3s forwards away } @keyframes away { to { opacity: 0 } } #sheet { position: fixed; bottom: 0 }</style>
<main><button id=x>Close</button></main><div id=sheet role=dialog aria-label=Sure><p>Really?</p></div>
<script>x.onclick = () => { sheet.className = 'shut'; sheet.onanimationend = () => sheet.remove() }</script>"""


async def test_what_was_on_the_page_before_is_no_message_when_it_fades_out(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, FADING)
        await tab.text("snapshot")
        assert "appeared and disappeared" not in await tab.text("click", selector="#x")


async def test_a_live_dialog_in_which_one_types_is_no_message(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            """<div role=dialog aria-live=assertive aria-label=Rename><h2>New name</h2><input id=x><p id=y></p>
            <script>x.oninput = () => y.textContent = x.value + ' it is'</script></div>""",
        )
        await tab.text("snapshot")
        answer = await tab.text("type", selector="#x", text="Zed")
        assert "Zed it is" in answer
        assert "appeared and disappeared" not in answer
