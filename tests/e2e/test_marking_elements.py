"""An element that a person points at is marked in its page, and in no picture."""

from __future__ import annotations

import base64

import pytest

from tests.support.context import open_tab
from tests.support.patience import until
from tests.support.picture import decoded, png
from tests.support.site import serving

pytestmark = pytest.mark.e2e

RED, BLUE = (255, 0, 0), (0, 0, 255)
SHAPES = """<body style="margin:0">
    <div id=red style="position:absolute;left:40px;top:30px;width:200px;height:100px;background:red"></div>"""
BOX = "<body style='margin:0'><div id=box style='width:50px;height:40px;background:blue'>"
SCALED = """<body style='margin:0'><iframe src='{}' style='border:0;position:absolute;width:200px;height:100px;
    left:50px;top:40px;transform:scale(2);transform-origin:0 0'></iframe>"""


@pytest.mark.parametrize("where", ["in the page", "in a frame"])
async def test_element_pointed_at_is_marked_in_page_and_in_no_picture(browser: int, where: str) -> None:
    with serving({"/": SHAPES, "/box": BOX}) as site:
        site.pages["/scaled"] = SCALED.format(site.url("/box", "localhost"))
        url = site.url("/" if where == "in the page" else "/scaled")
        await marks(browser, url, where)


async def marks(browser: int, url: str, where: str) -> None:
    async with open_tab(browser, url) as tab:
        wanted, colour = ("#red", RED) if where == "in the page" else ("#box", BLUE)
        ref = (await tab.page.locate(wanted)).ref
        inside = (140, 80) if where == "in the page" else (100, 80)

        async def shows(marked: bool) -> None:
            async def look() -> bool:
                shot = await tab.page.connection.root.send("Page.captureScreenshot", {"format": "png"})
                return (decoded(base64.b64decode(shot["data"])).at(*inside) != colour) is marked

            await until(look, "the mark" if marked else "the page alone")

        await shows(marked=False)  # once the frame is drawn
        await tab.page.highlight.show(ref)
        await shows(marked=True)
        assert png(await tab("screenshot", format="png")).at(*inside) == colour
        await shows(marked=False)  # a picture takes the mark away
        await tab.page.highlight.show(ref)
        await shows(marked=True)
        tab.page.highlight.hide()
        await shows(marked=False)
