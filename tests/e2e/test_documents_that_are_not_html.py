"""Reading documents that are not HTML: drawings, and what the browser draws by itself."""

from __future__ import annotations

import pytest

from tests.support.context import open_tab
from tests.support.site import Page, Site

pytestmark = pytest.mark.e2e

DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><title>Sales</title>
<style>text { fill: red }</style><defs><g id="g"><text>never drawn</text></g></defs>
<g><text x="5" y="20">Hello</text><text x="5" y="50">wide <tspan>world</tspan></text></g>
<text y="80" display="none">hidden</text>
<foreignObject y="90" width="200" height="90">
<p xmlns="http://www.w3.org/1999/xhtml">A paragraph</p></foreignObject></svg>"""

PDF = """%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]>>endobj
trailer<</Root 1 0 R>>
"""


async def test_the_texts_of_a_drawing_are_read(browser: int, site: Site) -> None:
    site.pages["/drawing"] = Page(DRAWING, headers={"Content-Type": "image/svg+xml"})
    async with open_tab(browser, site.url("/drawing")) as tab:
        assert await tab.text("get_text") == "Hello\nwide world\n\nA paragraph"


async def test_a_pdf_says_what_it_is(browser: int, site: Site) -> None:
    site.pages["/paper"] = Page(PDF, headers={"Content-Type": "application/pdf"})
    site.pages["/"] = "<p>words</p>"
    async with open_tab(browser, site.url("/")) as tab:
        await tab.text("navigate", url=site.url("/paper"))
        for reading in ("snapshot", "get_text", "read_as_markdown"):
            text = await tab.text(reading)
            assert "a PDF" in text, reading
            assert "can be downloaded" in text, reading
        await tab.text("navigate", url=site.url("/"))
        assert await tab.text("get_text") == "words"
