"""Drags of every kind: HTML5, by the pointer, in sortable lists, trees and boards."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import re
from typing import Any

import pytest

from kapture.errors import ErrorCode
from tests.support.context import open_tab
from tests.support.patience import until
from tests.support.site import Site

pytestmark = pytest.mark.e2e


HTML5 = """<div id=a draggable=true style="width:80px;height:40px;background:#aaf">Drag</div>
<div id=b style="margin-top:120px;width:200px;height:100px;background:#afa">Drop</div><script>window.seen=[];
for (const kind of ['dragstart','dragenter','dragover','drop','dragend','click'])
  addEventListener(kind, (e) => { if (seen.at(-1)?.[0] !== kind) seen.push([kind, e.target.id, e.isTrusted]); });
a.addEventListener('dragstart', (e) => e.dataTransfer.setData('text/plain', 'cargo'));
b.addEventListener('dragover', (e) => e.preventDefault());
b.addEventListener('drop', (e) => { e.preventDefault(); window.cargo = e.dataTransfer.getData('text/plain'); b.append(a); });</script>"""


async def test_html5_drag_and_drop_carries_its_data(browser: int, site: Site) -> None:
    site.pages["/html5"] = HTML5
    async with open_tab(browser, site.url("/html5")) as tab:
        answer = await tab.text("drag", source="#a", target="#b")
        assert "onto <div>" in answer
        assert await tab.page.evaluate("cargo") == "cargo"
        # The browser reports the end to the page once it has heard of the drop.
        seen = await until(lambda: tab.page.evaluate("seen.some(([kind]) => kind === 'dragend') && seen"), "the end")
        kinds = [one[0] for one in seen]
        assert kinds[0] == "dragstart"
        assert "drop" in kinds
        assert all(one[2] for one in seen)


POINTER = """<div id=a style="position:absolute;left:10px;top:10px;width:50px;height:50px;background:#aaf;z-index:1;touch-action:none">A</div>
<div id=b style="position:absolute;left:400px;top:300px;width:100px;height:100px;background:#afa">B</div><script>
let from = null; window.moves = 0;
a.onpointerdown = (e) => { from = [e.clientX - a.offsetLeft, e.clientY - a.offsetTop]; a.setPointerCapture(e.pointerId); };
a.onpointermove = (e) => { if (!from) return; moves++; a.style.left = e.clientX - from[0] + 'px'; a.style.top = e.clientY - from[1] + 'px'; };
a.onpointerup = (e) => { from = null; a.hidden = true; window.dropped = document.elementFromPoint(e.clientX, e.clientY).id; a.hidden = false; };</script>"""


async def test_a_drag_that_follows_the_pointer_ends_where_it_should(browser: int, site: Site) -> None:
    site.pages["/pointer"] = POINTER
    async with open_tab(browser, site.url("/pointer")) as tab:
        await tab("drag", source="#a", target="#b")
        assert await tab.page.evaluate("dropped") == "b"
        assert await tab.page.evaluate("moves") >= 5
        before = await tab.page.evaluate("[a.offsetLeft, a.offsetTop]")
        await tab("drag", source="#a", delta_x=-100, delta_y=40)
        assert await tab.page.evaluate("[a.offsetLeft, a.offsetTop]") == [before[0] - 100, before[1] + 40]
        assert (await tab.fails("drag", source="#a")).code is ErrorCode.INVALID_PARAMS


async def test_a_slider_is_dragged(browser: int, site: Site) -> None:
    site.pages["/slider"] = "<input id=s type=range min=0 max=100 value=50 style='width:200px'>"
    async with open_tab(browser, site.url("/slider")) as tab:
        await tab("drag", source="#s", delta_x=60)
        assert 75 <= float(await tab.page.evaluate("s.value")) <= 90


# Lists that are sorted by dragging: an item gives way when the pointer has passed its middle, as in jQuery UI.
SORTABLE = """<!doctype html><style>li{list-style:none;width:80px;height:40px;margin:4px;background:#ddd;LAYOUT}</style>
<ul id=l style="width:400px;padding:0"><li id=a>A<li id=b>B<li id=c>C<li id=d>D</ul><script>
let held, last;
l.onpointerdown = (e) => { held = e.target; last = e; held.setPointerCapture(e.pointerId); held.style.pointerEvents = 'none'; };
l.onpointermove = (e) => {
  if (!held) return;
  const over = document.elementsFromPoint(e.clientX, e.clientY).find((one) => one.localName === 'li' && one !== held);
  const axis = 'AXIS', at = axis === 'x' ? e.clientX : e.clientY, was = axis === 'x' ? last.clientX : last.clientY;
  last = e;
  if (!over) return;
  const box = over.getBoundingClientRect(), middle = axis === 'x' ? box.x + box.width / 2 : box.y + box.height / 2;
  if (at > was && at > middle) over.after(held);
  if (at < was && at < middle) over.before(held);
};
l.onpointerup = () => { held.style.pointerEvents = ''; held = undefined; };</script>"""


@pytest.mark.parametrize(("layout", "axis"), [("", "y"), ("float:left", "x")], ids=["one below the other", "floated"])
@pytest.mark.parametrize(
    ("source", "target", "order", "moved"),
    [("a", "c", "bcad", "item 3 of 4 now, and was item 1"), ("d", "b", "adbc", "item 2 of 4 now, and was item 4")],
    ids=["forwards", "backwards"],
)
async def test_an_item_of_a_sortable_list_takes_the_position_of_the_one_it_is_dropped_on(
    browser: int, site: Site, layout: str, axis: str, source: str, target: str, order: str, moved: str
) -> None:
    site.pages["/sortable"] = SORTABLE.replace("LAYOUT", layout).replace("AXIS", axis)
    async with open_tab(browser, site.url("/sortable")) as tab:
        answer = await tab.text("drag", source=f"#{source}", target=f"#{target}")
        assert await tab.page.evaluate("Array.from(l.children, (one) => one.id).join('')") == order
        assert moved in answer


# While an item is dragged, a placeholder keeps its position, and what is dragged is a copy at the end of the list.
WITH_PLACEHOLDER = """<!doctype html><style>li{list-style:none;height:40px;background:#ddd} #l{width:200px;padding:0}</style>
<ul id=l><li>Ann<li>Bob<li>Cleo<li>Dan</ul><p id=dropped></p><script>
let held;
l.onpointerdown = (e) => { held = e.target; l.setPointerCapture(e.pointerId); };
l.onpointermove = () => {
  if (!held || held.hidden) return;
  held.insertAdjacentHTML('afterend', '<li></li>');
  l.insertAdjacentHTML('afterbegin', '<li hidden></li>');
  l.insertAdjacentHTML('beforeend', '<li style="position:fixed;top:300px;width:200px">Cleo</li>');
  held.hidden = true;
};
l.onpointerup = (e) => {
  const over = document.elementsFromPoint(e.clientX, e.clientY).find((one) => one.localName === 'li');
  dropped.textContent = `dropped on ${over.textContent}`;
};</script>"""


@pytest.mark.parametrize("target", ["#l > li:nth-child(3)", {"text": "Cleo"}], ids=str)
async def test_element_inserted_by_drag_is_not_taken_for_its_target(
    browser: int, site: Site, target: str | dict[str, Any]
) -> None:
    site.pages["/placeholder"] = WITH_PLACEHOLDER
    async with open_tab(browser, site.url("/placeholder")) as tab:
        await tab("drag", source={"text": "Ann"}, target=target)
        assert await tab.page.evaluate("dropped.textContent") == "dropped on Cleo"


async def test_a_drag_that_moved_nothing_says_so(browser: int, site: Site) -> None:
    site.pages["/fixed"] = (
        "<div id=a style='width:80px;height:40px'>Fixed</div><div id=b style='height:40px'>Here</div>"
    )
    async with open_tab(browser, site.url("/fixed")) as tab:
        assert "it has not moved" in await tab.text("drag", source="#a", target="#b")


async def test_cards_are_marked_as_what_can_be_dragged_and_a_card_that_is_rendered_anew_is_not_called_gone(
    browser: int, site: Site
) -> None:
    site.pages["/board"] = """<ul id=todo><li draggable=true>Fix login</ul><div draggable=true>Note</div>
    <div draggable=false>Still</div><p style='cursor: grab'>Plan <b>it</b></p>
    <section>Row<span class=handle style='cursor: move; padding: 9px'></span></section><h3 id=done>Done</h3><script>
    done.ondragover = (event) => event.preventDefault();
    done.ondrop = () => { todo.innerHTML = ''; done.insertAdjacentHTML('afterend', '<p>Fix login</p>') };
    document.querySelector('li').ondragstart = (event) => event.dataTransfer.setData('text/plain', 'x');</script>"""
    async with open_tab(browser, site.url("/board")) as tab:
        text = re.sub(r"e\d+", "eN", await tab.text("snapshot"))
        assert text.splitlines()[1:] == [
            'list: listitem [draggable] ref=eN: "Fix login"',
            'group [draggable] ref=eN: "Note"',
            'group: "Still"',
            'paragraph [draggable] ref=eN: "Plan it"',
            '"Row"',
            "generic [draggable] (beside Row) ref=eN",
            'heading "Done" [level=3]',
        ]
        text = await tab.text("drag", source={"css": "li"}, target={"css": "#done"})
        assert "the page has removed it or rendered it anew" in text


BOARD = """<div id=board style="display:flex;width:500px;overflow-x:auto"><div class=c>To do<div id=a style="background:#aaf;touch-action:none">Card</div></div>
<div class=c>Doing</div><div class=c id=half>Review</div><div class=c id=far>Done</div></div><style>.c{flex:0 0 200px;height:120px}</style><script>
window.dropped = [];
a.onpointerdown = (down) => { down.preventDefault(); onpointerup = ({ clientX, clientY }) =>
  board.title = dropped.push(document.elementFromPoint(clientX, clientY)?.closest('.c')?.textContent.trim()) };</script>"""


@pytest.mark.parametrize("column", ["half", "far"])
async def test_a_drop_lands_on_what_is_shown_of_a_target_in_a_scrolling_board(
    browser: int, site: Site, column: str
) -> None:
    site.pages["/board"] = BOARD
    async with open_tab(browser, site.url("/board")) as tab:
        text = await tab.text("drag", source="#a", target=f"#{column}")
        assert await tab.page.evaluate("dropped") == [{"half": "Review", "far": "Done"}[column]]
        assert "it has not moved" in text  # but the board has been scrolled


async def test_a_dialog_that_a_drop_opens_is_part_of_the_answer(browser: int, site: Site) -> None:
    site.pages["/html5"] = HTML5.replace("b.append(a);", "if (confirm('Move it?')) b.append(a);")
    async with open_tab(browser, site.url("/html5")) as tab:
        text = await tab.text("drag", source="#a", target="#b")
        assert "dragged <div>" in text
        assert 'dialog confirm "Move it?" is open' in text
        await tab("handle_dialog")
        assert await tab.page.evaluate("a.parentElement.id") == "b"
