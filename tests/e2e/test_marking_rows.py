"""Rows that are clicked beside the controls in them."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage
from tests.support.orders_page import clickables

pytestmark = pytest.mark.e2e


async def test_rows_with_controls_are_marked_for_the_words_beside_these(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><style>.up { cursor: pointer }</style>"
        "<ul><li><div class=row><b class=up>▸</b>Music</div>"
        "<ul><li><div class=row><b class=up>▸</b>Bach</div></ul></ul>"
        "<table><tr><th>Subject<th>Done<tr class=mail><td>Lunch<td><button>Archive</button></table>"
        "<div class=row><button>Only controls</button></div><div class=row>Find <input></div>"
        "<div class=box>Some words<button>OK</button></div>"
        "<div class=row style='height:200px'>Too high for a row<button>OK</button></div>"
        "<script>for (const one of document.querySelectorAll('.row, .mail, .box'))"
        "one.addEventListener('click', () => 1)</script>"
    )
    assert clickables(await page.snapshot()) == [
        ("generic", "▸Music"),
        ("generic", "▸"),
        ("generic", "▸Bach"),
        ("generic", "▸"),
        ("row", "LunchArchive"),
    ]
