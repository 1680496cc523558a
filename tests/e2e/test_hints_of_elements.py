"""Descriptions of elements without a name."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage, nodes_of

pytestmark = pytest.mark.e2e

SEATS = """<title>t</title><style>
i { display: inline-block; width: 20px; height: 20px; cursor: pointer; background: green }
</style><h1>Hall</h1><p><i id=seat-1A></i><i id=seat-1B></i><i id=seat-1C style="background: blue"></i></p>
<p><i id=red style="background: red"></i><i id=blue style="background: blue"></i>
<i id=lime style="background: lime"></i></p>
<p><i id=x1></i><i id=x2></i></p>
<p><i id=":r1:"></i><i id=":r2:"></i><i id=":r3:"></i></p>
<p><b data-tip="Delete record">🗑</b><b class=full>Balcony</b></p>
<style>.full { cursor: not-allowed }</style>
<script>for (const b of document.querySelectorAll("b")) b.onclick = () => 1</script>"""


async def test_wordless_similar_elements_are_described_by_their_names_in_page(page: AgentPage) -> None:
    await page.show(SEATS)
    hints = [node.get("hint") for node in nodes_of(await page.snapshot()) if node.get("clickable")]
    green, delete = ["colour", "#008000"], ["icon", "Delete record"]
    assert hints[:3] == [["id", "seat-1A"], ["id", "seat-1B"], ["id", "seat-1C"]]
    assert hints[3:6] == [["id", "red"], ["id", "blue"], ["id", "lime"]]
    # What shows a forbidding cursor is not among them.
    assert hints[6:] == [green, green, green, green, green, delete]


WORDS_AROUND = """<title>t</title><style>
i { display: inline-block; width: 30px; height: 16px; cursor: pointer; border: 1px solid }
</style><div style="height: 900px"><p>First of all</p><div style="height: 700px"></div><p>Opacity</p><i></i></div>
<dialog open><h2>Settings</h2>Notifications <i></i></dialog><div>Wifi <i></i> Sound <i></i></div>
<div><b>Tea</b> 2.00 <i></i></div><table><tr><th>Who<th>Role<th>Do
<tr><td>Ana<td>Dev<td><span>Edit</span> <a href=#>✕</a><tr><td>Bo <a href=#>+</a><td>Ops<td>3</table>"""


async def test_nameless_elements_are_told_apart_by_words_around_them(page: AgentPage) -> None:
    await page.show(WORDS_AROUND)
    hints = [node["hint"] for node in nodes_of(await page.snapshot()) if node.get("hint")]
    assert hints == [
        ["beside", "Opacity"],
        ["beside", "Notifications"],
        ["beside", "Wifi"],
        ["beside", "Sound"],
        ["beside", "Tea"],
        ["row", "Ana"],
        ["beside", "Bo"],
    ]


async def test_element_shown_with_hint_is_found_by_it(page: AgentPage) -> None:
    await page.show(SEATS)
    assert (await page.run("find", text="seat-1B"))["matches"] == []
    [seat] = [node for node in nodes_of(await page.snapshot()) if node.get("hint") == ["id", "seat-1B"]]
    [match] = (await page.run("find", text="seat-1B"))["matches"]
    assert (match["ref"], match["hint"]) == (seat["ref"], ["id", "seat-1B"])
    assert (await page.run("find", text="seat-1B", role="button"))["matches"] == []
