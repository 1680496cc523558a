"""Text that editors and terminals draw in a layer hidden from assistive technology."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

# The lines stand in another order than that in which they are drawn, and measuring what is unseen.
EDITOR = """<div style="position:relative; width:300px; height:80px"><div role=textbox tabindex=0 id=f aria-label=Code aria-multiline=true
style="position:absolute; width:0; height:20px; top:0"></div><textarea tabindex=-1 readonly style="width:1px"></textarea>
<div aria-hidden=true style="position:absolute; width:20px"><div>1</div><div>2</div></div>
<div aria-hidden=true id=l style="position:absolute; left:20px; width:200px; height:80px">
<div style="position:absolute; top:20px; height:20px">&nbsp;&nbsp;return&nbsp;<b>1</b>;</div>
<div style="position:absolute; top:0; height:20px">def f():</div><div style="height:20px; visibility:hidden">$$$$</div></div></div>"""

TERMINAL = """<div id=t style="position:relative; width:300px; height:120px"><textarea id=f aria-label=Terminal
style="position:absolute; width:9px; top:0; opacity:0"></textarea><div aria-hidden=true id=r style="height:100px"><div>$ </div><div></div></div></div><script>
let line = "";
f.onkeydown = (event) => {
  event.preventDefault();
  line += event.key === "Enter" ? " ok" : event.key;
  r.firstChild.textContent = "$ " + line;
};
</script>"""


async def test_the_lines_of_an_editor_are_its_contents(browser: int, site: Site) -> None:
    site.pages["/editor"] = EDITOR
    async with open_tab(browser, site.url("/editor")) as tab:
        assert 'textbox "Code" ref=e1: "def f():" "return 1;"' in await tab.text("snapshot")


async def test_long_text_is_shown_up_to_the_caret(browser: int, site: Site) -> None:
    site.pages["/editor"] = EDITOR
    rows = "l.replaceChildren(...[...Array(300).keys()].map((n) => { const row = document.createElement('div'); row.textContent = `line ${n}`; return row }))"
    async with open_tab(browser, site.url("/editor")) as tab:
        await tab.page.evaluate(f"{rows}; f.style.top = '3600px'; 0")
        text = await tab.text("snapshot")
        assert '"line 0"' not in text
        assert '"line 190"' in text
        assert '"line 299"' not in text


async def test_output_of_terminal_is_a_change(browser: int, site: Site) -> None:
    site.pages["/terminal"] = TERMINAL
    async with open_tab(browser, site.url("/terminal")) as tab:
        await tab("snapshot")
        text = await tab.text("type", selector="#f", text="ls", press_enter=True, snapshot="diff")
        assert "now holds" not in text
        assert '"$ ls ok"' in text
