"""Finding elements, in a real browser."""

from __future__ import annotations

import re

import pytest

from tests.support.context import open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e


async def test_find_tells_refs_with_where_they_stand(browser: int, site: Site) -> None:
    rows = "".join(f"<tr><td>Tea {i}<td><button>Delete</button></tr>" for i in range(30))
    site.pages["/find"] = f"<h2>Goods</h2><table aria-label=Stock>{rows}</table><iframe src=/near></iframe>"
    site.pages["/near"] = "<button>Delete all</button>"
    async with open_tab(browser, site.url("/find")) as tab:
        text = await tab.text("find", role="button", name="Delete", max=5)
        lines = text.splitlines()
        assert len(lines) == 6
        assert lines[-1] == "… 26 more match, 1 of them in part: raise max, or give more of the text"
        assert re.match(r'button "Delete" ref=e\d+ nth=0, under heading "Goods".*row "Tea 0', lines[0])
        assert re.match(r'button "Delete all" ref=f\d+e\d+', await tab.text("find", text="delete all"))
        assert (await tab.text("find", text="coffee")).startswith("No element found.")


async def test_find_shows_the_row_or_item_with_its_controls(browser: int, site: Site) -> None:
    rows = "".join(f"<tr><td>Tea {i}<td>{i}.20<td><button>Delete</button></tr>" for i in range(30))
    long = f"<li><p>Cocoa</p>{'<p>words</p>' * 200}<div><a href=/c>More</a></div>"
    site.pages["/find"] = f"<table aria-label=Stock>{rows}</table><ul aria-label=Drinks>{long}</ul>"
    async with open_tab(browser, site.url("/find")) as tab:
        lines = (await tab.text("find", text="Tea 1", max=3)).splitlines()
        assert re.fullmatch(
            r'row ref=e\d+: "Tea 1" \| "1.20" \| button "Delete" ref=e\d+, in table "Stock"', lines[0]
        ), lines[0]
        assert lines[-1] == "… 8 more match, in part: raise max, or give more of the text"
        cocoa = await tab.text("find", text="Cocoa")
        assert re.fullmatch(r'listitem ref=e\d+: "Cocoa words .*"… link "More" ref=e\d+, in list "Drinks"', cocoa), (
            cocoa
        )
        row = await tab.text("snapshot", root={"ref": lines[1].split("ref=")[1].split(":")[0]})
        assert '"Tea 10"' in row
