"""Clicks that open the browser's file chooser, which only a person can use."""

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

PAGE = """<label>Photo <input type=file id=f></label><button id=b onclick="f.click()">Attach</button>
<input type=file id=own aria-label=Own onclick="event.preventDefault()"><button id=plain>Plain</button>"""


@pytest.mark.parametrize("selector", ["#f", "#b"], ids=["itself", "a button of the page"])
async def test_a_click_that_opens_a_file_chooser_says_so(browser: int, site: Site, selector: str) -> None:
    site.pages["/upload"] = PAGE
    async with open_tab(browser, site.url("/upload")) as tab:
        await tab("snapshot")
        text = await tab.text("click", selector=selector, snapshot="diff")
        assert 'opened the file chooser of <input> "Photo" ref=' in text
        assert "upload" in text
        assert "file chooser" not in await tab.text("click", selector="#plain", snapshot="diff")


async def test_a_chooser_that_the_page_prevents_is_not_told(browser: int, site: Site) -> None:
    site.pages["/upload"] = PAGE
    async with open_tab(browser, site.url("/upload")) as tab:
        await tab("snapshot")
        assert "file chooser" not in await tab.text("click", selector="#own", snapshot="diff")
