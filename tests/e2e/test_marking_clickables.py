"""What a person can click is marked in the tree, whatever makes it so."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage, nodes_of, text_of
from tests.support.orders_page import clickables

pytestmark = pytest.mark.e2e


async def test_things_without_a_role_that_can_be_clicked_are_marked(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><div style='cursor:pointer'>Card <b>bold</b></div><div onclick=1>Handler</div>"
        "<div tabindex=0>Focus</div><div>plain</div><p style='cursor:pointer;pointer-events:none'>Sold out</p>"
        "<button style='cursor:pointer'><span>in</span></button>"
    )
    tree = await page.snapshot()
    clickable = [node["children"] for node in nodes_of(tree) if node.get("clickable")]
    assert clickable == [["Card bold"], ["Handler"], ["Focus"]]


async def test_what_a_choice_of_a_menu_is_made_of_is_not_clickable_by_itself(page: AgentPage) -> None:
    await page.show("<button role=menuitemradio><i style='cursor:pointer'>v</i><b onclick=1>H1</b></button>")
    assert clickables(await page.snapshot()) == []


LISTENERS = """<title>t</title>
<style>.p { cursor: pointer }</style>
<div id=own>own</div><p class=p>pointer</p><h3 onclick="1">attribute</h3><img id=img alt=picture src="data:,">
<ul id=list><li>one<li>two</ul><ul class=p><li>three<li>four</ul>
<div id=grid><div class=cell>a1</div><div class=cell>a2</div></div>
<table id=table><tr><th>r1<td>c<tr><th>r2<td>d</table>
<div id=card class=p>card <b id=close>close</b></div>
<div id=dialog><p>text</p><button id=ok>OK</button></div>
<a id=anchor>anchor</a><button><span id=inner>whole button</span></button>
<div role=tab tabindex=0>tab <i id=x>x</i></div>
<main id=main><p>plain</p></main><div id=behind style="position:fixed;inset:0;z-index:-1">behind</div>
<div id=outer><div id=within>nested once</div></div><label id=label>label <input></label>
<div id=closed></div>
<script>
const listen = (...ids) => ids.forEach((id) => document.getElementById(id).addEventListener("click", () => 1));
listen("own", "img", "list", "grid", "table", "card", "close", "dialog", "ok", "anchor", "inner", "x", "main");
listen("behind", "outer", "within", "label");
document.body.addEventListener("click", () => 1); document.addEventListener("mousedown", () => 1);
</script>"""


async def test_what_a_person_can_click_is_marked_once_whatever_its_role(page: AgentPage) -> None:
    await page.show(LISTENERS)
    assert clickables(await page.snapshot()) == [
        ("generic", "own"),
        ("paragraph", "pointer"),
        ("heading", "attribute"),
        ("image", "picture"),
        ("listitem", "one"),
        ("listitem", "two"),
        ("listitem", "three"),
        ("listitem", "four"),
        ("generic", "a1"),
        ("generic", "a2"),
        ("row", "r1c"),
        ("row", "r2d"),
        ("generic", "cardclose"),
        ("generic", "close"),
        ("generic", "anchor"),
        ("generic", "x"),
        ("generic", "nestedonce"),
    ]


async def test_equal_cells_of_a_grid_are_marked_for_a_listener_further_up(page: AgentPage) -> None:
    days = "".join(f"<span class='day{' late' * (day > 10)}'>{day}</span>" for day in range(1, 15))
    letters = "".join(f"<i>{letter}</i>" for letter in "International")
    await page.show(
        "<title>t</title><style>.day, .head, i { display: inline-block } .day, .head { width: 30px }</style>"
        "<div id=month style='width:210px'><div><button>next</button></div>"
        f"<div><b class=head>Mo</b><b class=head>Tu</b></div><div>{days}</div></div>"
        f"<div id=card><p>{letters}</p></div>"
        "<script>for (const one of [month, card]) one.addEventListener('click', () => 1)</script>"
    )
    marked = [*map(str, range(1, 15)), "International"]
    assert clickables(await page.snapshot()) == [("generic", text) for text in marked]


async def test_letters_that_are_set_apart_in_an_item_are_no_items(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><ul><li id=item><b>A</b><b>n</b>n Smith</li></ul>"
        "<script>item.addEventListener('click', () => 1)</script>"
    )
    assert clickables(await page.snapshot()) == [("listitem", "AnnSmith")]


async def test_a_menu_that_its_button_owns_is_no_part_of_the_button(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><button aria-haspopup=menu aria-expanded=true aria-owns=menu>More</button>"
        "<div id=menu><div onclick=1>Archive</div><div onclick=1>Share</div></div>"
    )
    tree = await page.snapshot()
    assert [node["name"] for node in nodes_of(tree) if node["role"] == "button"] == ["More"]
    assert clickables(tree) == [("generic", "Archive"), ("generic", "Share")]


async def test_cells_that_are_chosen_are_marked_and_those_that_only_show_data_are_not(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><style>.day { cursor: pointer }</style><div role=grid>"
        "<div role=row><div role=gridcell class=day tabindex=-1 aria-label='May 10'>10</div></div>"
        "<div role=row><div role=gridcell aria-label='May 11' id=heard>11</div></div>"
        "<div role=row><div role=gridcell id=data>12</div></div>"
        "<div role=row id=row><div role=gridcell>13</div></div></div>"
        "<script>for (const id of ['heard', 'data', 'row'])"
        "  document.getElementById(id).addEventListener('click', () => 1)</script>"
    )
    assert clickables(await page.snapshot()) == [("gridcell", "May 10"), ("gridcell", "May 11"), ("row", "13")]


async def test_listeners_that_are_added_with_new_elements_are_seen(page: AgentPage) -> None:
    await page.show("<title>t</title><p>text</p>")
    assert clickables(await page.snapshot()) == []
    script = "document.body.innerHTML = '<div>new</div>'; document.body.firstChild.onclick = () => 1"
    await page.session.send("Runtime.evaluate", {"expression": script})
    assert clickables(await page.snapshot()) == [("generic", "new")]


async def test_listeners_in_shadow_trees_are_seen(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><div id=h></div><div id=k></div><script>const fill = (root) => { root.innerHTML = '<p>s</p>';"
        "root.firstChild.addEventListener('click', () => 1); };"
        "fill(h.attachShadow({ mode: 'open' })); fill(k.attachShadow({ mode: 'closed' }));</script>"
    )
    assert clickables(await page.snapshot()) == [("paragraph", "s"), ("paragraph", "s")]
    script = "fill(document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' }))"
    await page.session.send("Runtime.evaluate", {"expression": script})
    assert len(clickables(await page.snapshot())) == 3
    await page.session.send("Runtime.evaluate", {"expression": f"document.body.lastChild.remove(); {script}"})
    assert len(clickables(await page.snapshot())) == 3


async def test_listeners_of_frameworks_further_up_mark_what_they_are_for(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><div id=root><div id=react>react</div><div id=none>none</div><div id=ref>ref</div>"
        "<div id=svelte>svelte</div></div>"
        "<ul id=jq><li class=item>jquery</li><li>other</li></ul>"
        "<script>const handler = () => 1; root.addEventListener('click', handler); root.__reactContainer$x1 = {};"
        "react.__reactProps$x1 = { onClick: handler }; none.__reactProps$x1 = { className: 'c' };"
        "ref.__reactProps$x1 = {}; ref.onclick = handler;"
        "svelte.__click = handler;"
        "jq.addEventListener('click', handler);"
        "window.jQuery = { _data: (e) => e === jq && { click: [{ selector: '.item' }] } };</script>"
    )
    assert clickables(await page.snapshot()) == [
        ("generic", "react"),
        ("generic", "ref"),
        ("generic", "svelte"),
        ("listitem", "jquery"),
    ]


async def test_a_page_that_answers_nonsense_about_its_listeners_is_shown_without_them(page: AgentPage) -> None:
    for tampering in (
        "window.getEventListeners = () => { throw 1 }",
        "Document.prototype.querySelectorAll = () => [{}]",
        "Object.keys = () => { throw 1 }",
    ):
        await page.show(f"<title>t</title><div id=d>text</div><script>d.onclick = () => 1; {tampering}</script>")
        assert text_of(await page.snapshot(), frozenset()) == "text"


async def test_controls_are_marked_and_not_what_only_wraps_them(page: AgentPage) -> None:
    await page.show("""<title>t</title><style>.p, label { cursor: pointer }</style>
    <div class=p onclick=1><input type=checkbox aria-label=one></div>
    <label><input type=radio><span>two</span></label><div tabindex=0></div>
    <table><tr onclick=1><td>a<td>b</table><div class=p onclick=1><button disabled>three</button></div>
    <div role=button tabindex=0 class=p>Red <i class=p id=x aria-hidden=true>x</i></div>
    <script>x.onclick = () => 1; document.querySelector("tr").addEventListener("click", () => 1)</script>""")
    tree = await page.snapshot()
    assert clickables(tree) == [("none", "ab"), ("generic", "three"), ("generic", "")]
    assert [node["name"] for node in nodes_of(tree) if node["role"] == "radio"] == ["two"]


async def test_a_field_is_marked_and_has_its_value_whatever_its_role(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><input type=number role=alert aria-label=Copies value=3>"
        "<input type=button role=status value=b>"
    )
    fields = [node for node in nodes_of(await page.snapshot()) if node["role"] in {"alert", "status"}]
    assert [(node["name"], node.get("clickable"), node.get("value")) for node in fields] == [
        ("Copies", True, "3"),
        ("b", None, None),
    ]


async def test_how_much_a_modal_layer_hides_is_known(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><main id=app><button>one</button><button>two</button></main><p aria-hidden=true><i>x</i></p>"
    )
    assert "behind" not in await page.run("snapshot")
    hide = "app.setAttribute('aria-hidden', 'true'); document.body.append(document.createElement('menu'))"
    await page.session.send("Runtime.evaluate", {"expression": hide})
    assert (await page.run("snapshot"))["behind"] >= 2
    await page.session.send("Runtime.evaluate", {"expression": "app.style.display = 'none'"})
    assert "behind" not in await page.run("snapshot")


async def test_a_custom_element_with_the_role_of_a_box_is_the_only_one(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><x-toggle role=switch aria-checked=false tabindex=0>Urgent</x-toggle><script>"
        "document.querySelector('x-toggle').attachShadow({ mode: 'open' }).innerHTML = \"<label><slot></slot>"
        "<input type=checkbox style='display:none'><i>on</i></label>\"</script>"
    )
    boxes = [node for node in nodes_of(await page.snapshot()) if node["role"] in ("checkbox", "switch")]
    assert [(box["role"], box["name"]) for box in boxes] == [("switch", "Urgent on")]


async def test_what_only_scripts_focus_and_what_no_pointer_hits_is_not_marked(page: AgentPage) -> None:
    await page.show("""<title>t</title><main id=app tabindex=-1><ul role=listbox>
    <li role=option tabindex=0>Lisbon<i tabindex=-1></i></ul>
    <div tabindex=-1 style="overflow:auto"><button>one</button></div></main>
    <table><colgroup id=columns><col></colgroup><tr><td>cell</table>
    <div id=floating style="pointer-events:none">City</div>
    <div tabindex=0>Focus</div><script>for (const one of [columns, floating]) one.onclick = () => 1</script>""")
    tree = await page.snapshot()
    assert clickables(tree) == [("generic", "Focus")]
    assert [node["role"] for node in nodes_of(tree) if node["name"] == "Lisbon"] == ["option"]


STARS = """<title>t</title><style>i { cursor: pointer; display: inline-block; width: 20px; height: 20px }
input { position: absolute; opacity: 0; width: 1px; height: 1px }</style>
<span class=star><input type=radio name=s aria-label="1 star"><i class=star-on></i><i class=star-off></i></span>
<span class=star><input type=radio name=s aria-label="2 stars"><i class=star-on></i><i class=star-off></i></span>
<span><input type=checkbox role=switch aria-label=Alarm><i id=track></i></span>
<span><input type=checkbox aria-label=Row style="all:revert"><i class="icon-trash other"></i></span>
<span><input type=checkbox aria-label=Task>Buy milk<i class="icon-delete other"></i></span>
<script>for (const i of document.querySelectorAll(".star i, #track, .other"))
  i.onclick = () => { if (!i.matches(".other")) i.parentElement.firstElementChild.click() }</script>"""


async def test_what_is_drawn_for_a_box_that_nobody_can_see_is_that_box(page: AgentPage) -> None:
    await page.show(STARS)
    tree = await page.snapshot()
    boxes = [node["name"] for node in nodes_of(tree) if node["role"] in ("checkbox", "radio", "switch")]
    assert boxes == ["1 star", "2 stars", "Alarm", "Row", "Task"]
    hints = [node["hint"] for node in nodes_of(tree) if node.get("clickable")]
    assert hints == [["icon", "trash"], ["icon", "delete"]]


async def test_what_listens_but_has_no_area_is_not_marked(page: AgentPage) -> None:
    await page.show("""<title>t</title><div id=popups><div style="display:none">Lisbon</div></div>
    <style>#cross { width: 0 } #cross::before { content: "×" }</style><div id=cross></div>
    <script>for (const one of [popups, cross]) one.addEventListener("click", () => 1)</script>""")
    assert [node["ref"] for node in nodes_of(await page.snapshot()) if node.get("clickable")] == [1]


MAILS = """<title>t</title><style>div { cursor: pointer }</style>
<div draggable=true><input type=checkbox><i>☆</i><span>Ada</span><span>Tea</span></div>
<div draggable=false><input type=checkbox><i>☆</i><span>Bob</span><span>Milk</span></div>
<ul><li><p>One</p><input type=radio><li><p><input type=radio></p></ul>
<script>for (const one of document.querySelectorAll("div, i")) one.onclick = () => 1</script>"""


async def test_what_can_be_dragged_is_clicked_as_a_whole_and_names_only_what_is_in_it(page: AgentPage) -> None:
    await page.show(MAILS)
    tree = await page.snapshot()
    mails = [("group", "☆AdaTea"), ("generic", "☆"), ("group", "☆BobMilk"), ("generic", "☆")]
    assert clickables(tree) == mails
    boxes = [node["hint"] for node in nodes_of(tree) if node["role"] == "checkbox"]
    assert boxes == [["group", "Ada"], ["group", "Bob"]]
    # The text of another item says nothing about a control in this one.
    assert [node.get("hint") for node in nodes_of(tree) if node["role"] == "radio"] == [["listitem", "One"], None]
