"""Acting on a page before anybody has looked at it: who listens for clicks is asked where it decides what is hit."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from typing import Any

import pytest

from kapture.page.introspection import ClickListeners
from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

# Over the field lies what is chosen, and the box around both opens the list.
COVERED = """<div id=box style="position:relative; width:200px; height:40px"><input id=x role=combobox aria-controls=l aria-expanded=false readonly>
<span style="position:absolute; inset:0; background:#eee">Small</span></div>
<ul id=l role=listbox hidden><li role=option>Small<li role=option>Large</ul><script>
box.addEventListener("click", () => { l.hidden = false; x.ariaExpanded = "true" });
for (const row of l.children) row.onclick = () => { document.title = row.textContent.trim(); l.hidden = true; x.ariaExpanded = "false" };
</script>"""

# The row opens something; the button in its middle deletes it.
ROW = """<div id=x style="width:300px; height:40px; display:flex; justify-content:center"><button>Delete</button></div><script>
x.addEventListener("click", (event) => document.title = event.target === x ? "opened" : "deleted");
</script>"""

PLAIN = """<button id=x><b>Go</b></button><script>x.onclick = () => document.title = "pressed"</script>"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The documents whose listeners are asked for."""
    contexts: list[object] = []
    find_out = ClickListeners.find_out

    async def count(self: ClickListeners, ask: Any, context: object, *more: Any) -> str:
        contexts.append(context)
        return await find_out(self, ask, context, *more)

    monkeypatch.setattr(ClickListeners, "find_out", count)
    return contexts


async def test_a_field_under_what_is_chosen_opens_its_list(browser: int, site: Site, asked: list[object]) -> None:
    site.pages["/covered"] = COVERED
    async with open_tab(browser, site.url("/covered")) as tab:
        await tab("select", selector="#x", label=["Large"], timeout=30_000)
        assert await tab.page.evaluate("document.title") == "Large"
        assert len(asked) > 0


async def test_a_row_that_listens_is_clicked_beside_its_button(browser: int, site: Site) -> None:
    site.pages["/row"] = ROW
    async with open_tab(browser, site.url("/row")) as tab:
        await tab("click", selector="#x", timeout=30_000)
        assert await tab.page.evaluate("document.title") == "opened"


async def test_uncovered_element_is_clicked_without_asking(browser: int, site: Site, asked: list[object]) -> None:
    site.pages["/plain"] = PLAIN
    async with open_tab(browser, site.url("/plain")) as tab:
        await tab("click", selector="#x", timeout=30_000)
        assert (await tab.page.evaluate("document.title"), asked) == ("pressed", [])


# Nothing is added to the document once it has loaded.
CLOSED = """<div id=h></div><script>const root = h.attachShadow({ mode: "closed" });
root.innerHTML = "<div>Open</div>"; root.firstChild.onclick = () => document.title = "opened"</script>"""


async def test_listening_element_in_closed_root_is_marked_at_once(browser: int, site: Site) -> None:
    site.pages["/closed"] = CLOSED
    async with open_tab(browser, site.url("/closed")) as tab:
        assert "[clickable]" in await tab.text("snapshot")
