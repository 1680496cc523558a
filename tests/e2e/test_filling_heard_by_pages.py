"""Filling fields of pages that listen for the change: each hears of it once."""

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e


async def test_the_page_hears_once_of_a_change_that_fill_makes(browser: int, site: Site) -> None:
    site.pages[
        "/once"
    ] = """<input id=a><textarea id=b></textarea><div id=host></div><button id=c>Elsewhere</button><script>
        host.attachShadow({mode: 'open'}).innerHTML = '<input id=inside>';
        window.changes = [];
        for (const field of [a, b, host.shadowRoot.querySelector('input')])
          field.addEventListener('change', () => changes.push(`${field.id} ${field.value}`));</script>"""
    async with open_tab(browser, site.url("/once")) as tab:
        for field in ("a", "b", "inside"):
            await tab("fill", target={"css": f"#{field}"}, value="first")
            assert (await tab.page.evaluate("changes"))[-1] == f"{field} first"
        await tab("click", selector="#c")
        assert await tab.page.evaluate("changes") == ["a first", "b first", "inside first"]
        await tab("fill", selector="#a", value="second")
        await tab("type", text=" and more")
        await tab("click", selector="#c")
        assert (await tab.page.evaluate("changes"))[3:] == ["a second", "a second and more"]


@pytest.mark.parametrize("change", ["", "field.value = '[' + field.value + ']';"], ids=["kept", "written differently"])
async def test_the_page_hears_once_of_a_change_for_which_it_moves_the_focus(
    browser: int, site: Site, change: str
) -> None:
    site.pages["/moves"] = f"""<input id=field><button id=next>Next</button><script>
        window.changes = [];
        field.onchange = () => {{ changes.push(field.value); {change} next.focus(); }}</script>"""
    async with open_tab(browser, site.url("/moves")) as tab:
        await tab("fill", selector="#field", value="first")
        await tab("click", selector="#next")
        await tab("type", selector="#field", text="second", clear=True)
        await tab("click", selector="#next")
        assert await tab.page.evaluate("changes") == ["first", "second"]
