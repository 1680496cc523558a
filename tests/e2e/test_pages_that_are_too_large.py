"""Pages that would have the hub read more than anybody could: it has other tabs to serve."""

from __future__ import annotations

import pytest

from kapture.snapshot.tree import KnownTree
from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

SCRIPTS = {
    "title": "document.title = long",
    "name": "query('button').setAttribute('aria-label', long); query('button').title = long",
    "value": "query('input').value = long",
    "link": "query('a').href = '/' + long",
    "text": "query('p').textContent = long",
    # Names, since a page takes many seconds to lay out as many words.
    "names": "for (let n = 0; n < 200; n += 1) query('p').append(Object.assign(document.createElement('button'), "
    "{ariaLabel: long.slice(n, 110_000)}))",
}


@pytest.fixture
def pages(site: Site) -> Site:
    elements = "<h1>heading</h1><p></p><button>b</button><input><a href=/>l</a>"
    prepare = "const long = 'word '.repeat(300_000), query = (one) => document.querySelector(one)"
    for name, script in SCRIPTS.items():
        site.pages[f"/{name}"] = f"{elements}<script>{prepare}; {script}</script>"
    return site


@pytest.mark.parametrize("path", [name for name in SCRIPTS if name != "names"])
async def test_a_text_without_end_is_cut_before_it_is_sent(browser: int, pages: Site, path: str) -> None:
    async with open_tab(browser, pages.url(f"/{path}")) as tab:
        assert "heading" in await tab.text("snapshot")
        tree = tab.page.frames.main.known_tree
        assert isinstance(tree, KnownTree)
        assert tree.held_bytes < 1_000_000
        assert len(tab.page.title) <= 4096
        assert len((await tab.data("tab_info"))["title"]) <= 4096


async def test_an_answer_that_is_too_long_is_an_error_that_says_so(browser: int, pages: Site) -> None:
    async with open_tab(browser, pages.url("/names")) as tab:
        error = await tab.fails("snapshot")
        assert "too long" in error.message
        assert "Ask for a part" in error.hint
        assert "heading" in await tab.text("get_text", selector="h1")
