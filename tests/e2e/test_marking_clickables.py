"""Clickable elements are marked in the tree, whatever makes them clickable."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage, nodes_of
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


async def test_parts_of_menu_item_are_not_clickable_by_themselves(page: AgentPage) -> None:
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


async def test_clickable_element_of_any_role_is_marked_once(page: AgentPage) -> None:
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


async def test_element_for_scripts_or_beyond_pointer_is_not_marked(page: AgentPage) -> None:
    await page.show("""<title>t</title><main id=app tabindex=-1><ul role=listbox>
    <li role=option tabindex=0>Lisbon<i tabindex=-1></i></ul>
    <div tabindex=-1 style="overflow:auto"><button>one</button></div></main>
    <table><colgroup id=columns><col></colgroup><tr><td>cell</table>
    <div id=floating style="pointer-events:none">City</div>
    <div tabindex=0>Focus</div><script>for (const one of [columns, floating]) one.onclick = () => 1</script>""")
    tree = await page.snapshot()
    assert clickables(tree) == [("generic", "Focus")]
    assert [node["role"] for node in nodes_of(tree) if node["name"] == "Lisbon"] == ["option"]


MAILS = """<title>t</title><style>div { cursor: pointer }</style>
<div draggable=true><input type=checkbox><i>☆</i><span>Ada</span><span>Tea</span></div>
<div draggable=false><input type=checkbox><i>☆</i><span>Bob</span><span>Milk</span></div>
<ul><li><p>One</p><input type=radio><li><p><input type=radio></p></ul>
<script>for (const one of document.querySelectorAll("div, i")) one.onclick = () => 1</script>"""


async def test_draggable_element_is_clicked_as_a_whole_and_named_by_its_content(page: AgentPage) -> None:
    await page.show(MAILS)
    tree = await page.snapshot()
    mails = [("group", "☆AdaTea"), ("generic", "☆"), ("group", "☆BobMilk"), ("generic", "☆")]
    assert clickables(tree) == mails
    boxes = [node["hint"] for node in nodes_of(tree) if node["role"] == "checkbox"]
    assert boxes == [["group", "Ada"], ["group", "Bob"]]
    # The text of another item says nothing about a control in this one.
    assert [node.get("hint") for node in nodes_of(tree) if node["role"] == "radio"] == [["listitem", "One"], None]
