"""The agent's answers beside roles and names: finding, messages that come and go, refs, where things are."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage, nodes_of
from tests.support.orders_page import ORDERS

pytestmark = pytest.mark.e2e


async def found(page: AgentPage, **arguments: object) -> list[tuple[str, str]]:
    answer = await page.run("find", **arguments)
    return [(match["role"], match["name"]) for match in answer["matches"]]


async def test_text_is_found_in_names_and_contents_and_listed_once(page: AgentPage) -> None:
    await page.show(ORDERS)
    assert await found(page, text="EMAIL") == [("textbox", "Email address")]
    assert await found(page, text="example.com") == [("textbox", "Email address")]
    assert await found(page, text="edit") == [("button", "Edit"), ("button", "Edit")]
    answer = await page.run("find", text="big world")
    assert [(match["tag"], match["text"]) for match in answer["matches"]] == [("p", "Hello big world")]


async def test_found_element_says_where_it_stands(page: AgentPage) -> None:
    await page.show(ORDERS)
    answer = await page.run("find", role="button", name="Edit")
    assert [match["context"] for match in answer["matches"]] == [
        ["main", 'heading "Orders"', 'row "Green tea"'],
        ["main", 'heading "Orders"', 'row "Coffee"'],
    ]


async def test_hidden_text_is_not_found(page: AgentPage) -> None:
    await page.show(ORDERS)
    assert await found(page, text="Secret") == []


async def test_whole_matches_come_before_parts_and_a_limit_tells_the_total(page: AgentPage) -> None:
    await page.show("<title>t</title><button>Save as</button><button>Save</button><button>Do not save</button>")
    answer = await page.run("find", text="save", limit=2)
    assert [match["name"] for match in answer["matches"]] == ["Save", "Save as"]
    assert answer["total"] == 3
    assert await found(page, text="Save", exact=True) == [("button", "Save")]


async def test_nothing_found_names_what_comes_close(page: AgentPage) -> None:
    await page.show(ORDERS)
    answer = await page.run("find", role="textbox", name="Emial adress")
    assert answer["matches"] == []
    assert answer["near"][0] == 'textbox "Email address"'


async def test_name_that_only_looks_the_same_is_told_apart(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><button>S\u0430ve all</button><button>Cafe\u0301</button><button>Save\u200b as</button>"
    )
    answer = await page.run("find", role="button", name="save all")
    assert answer["near"][0] == 'button "S\u0430ve all" (looks the same, but it has \u0430 U+0430)'
    answer = await page.run("find", text="\u0421afe\u0301")
    assert answer["near"][0] == 'button "Cafe\u0301" (looks the same, but you wrote \u0421 U+0421)'
    assert await found(page, text="Caf\u00e9") == [("button", "Cafe\u0301")]
    assert await found(page, text="Save\u00a0as") == [("button", "Save\u200b as")]


async def test_aria_hidden_element_is_named_when_nothing_is_found(page: AgentPage) -> None:
    cover = "<div style='position:fixed;inset:0'></div>"
    await page.show(f"<title>t</title><div aria-hidden=true><button>Place order</button></div>{cover}")
    answer = await page.run("find", role="button", name="Place order")
    assert answer["near"] == ['button "Place order" (drawn, but hidden by aria-hidden, inert or a dialog)']


async def test_refs_stay_while_role_and_name_stay(page: AgentPage) -> None:
    await page.show("<title>t</title><button id=a>One</button><button id=b>Two</button>")
    before = {node["name"]: node["ref"] for node in nodes_of(await page.snapshot())}
    await page.evaluate("document.getElementById('b').textContent = 'Three'")
    after = {node["name"]: node["ref"] for node in nodes_of(await page.snapshot())}
    assert after["One"] == before["One"]
    assert after["Three"] not in before.values()
    assert await page.evaluate(f"kapture.element({before['Two']}) === undefined")


async def test_a_snapshot_can_start_at_a_ref(page: AgentPage) -> None:
    await page.show(ORDERS)
    table = next(node for node in nodes_of(await page.snapshot()) if node["role"] == "table")
    part = await page.snapshot(root=table["ref"])
    assert part["ref"] == table["ref"]
    assert part["children"] == table["children"]


async def test_element_out_of_sight_is_marked(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><button>Here</button><div style='height:5000px'></div><ul><li>There</li></ul>"
        "<div><button style='position:fixed;top:0'>Fixed</button></div><button style='position:absolute;left:-9999px'>"
        "Left</button>"
    )
    offscreen = {node["role"]: node.get("offscreen", False) for node in nodes_of(await page.snapshot())}
    named = {node["name"]: node.get("offscreen", False) for node in nodes_of(await page.snapshot())}
    assert offscreen["list"]
    assert offscreen["listitem"]
    assert named["Left"]
    assert not named["Here"]
    assert not named["Fixed"]


async def test_a_label_stands_in_for_a_box_that_is_not_displayed(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><style>[hidden] { display: none }</style>"
        "<label><input type=checkbox hidden checked><span></span> Dark mode</label>"
        "<input type=radio id=r hidden><label for=r>Fast</label><label for=r></label>"
        "<label>Seen <input type=checkbox></label>"
    )
    boxes = [node for node in nodes_of(await page.snapshot()) if node["role"] in {"checkbox", "radio"}]
    assert [(node["role"], node["name"], node["states"]["checked"]) for node in boxes] == [
        ("checkbox", "Dark mode", True),
        ("radio", "Fast", False),
        ("checkbox", "Seen", False),
    ]


async def test_semantics_of_custom_elements_are_found_and_kept_up_to_date(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><x-box></x-box><x-box></x-box><script>customElements.define('x-box', class extends HTMLElement"
        "{ constructor() { super(); const i = this.attachInternals(); i.role = 'checkbox'; i.ariaLabel = 'Agree';"
        "i.ariaChecked = 'false'; this.onclick = () => i.ariaChecked = 'true'; } })</script>"
    )

    async def checked() -> list[object]:
        nodes = nodes_of(await page.snapshot())
        return [node["states"]["checked"] for node in nodes if (node["role"], node["name"]) == ("checkbox", "Agree")]

    assert await checked() == [False, False]
    await page.evaluate("document.querySelector('x-box').click()")
    assert await checked() == [True, False]
    await page.evaluate("document.body.append(document.createElement('x-box'))")
    assert (await page.run("locate", target={"role": "checkbox", "name": "agree"}, limit=1))["total"] == 3
    assert await found(page, text="agree") == [("checkbox", "Agree")] * 3


async def test_nothing_is_lost_by_aria_owns(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><div id=a aria-owns=b><button>A</button></div><div id=b aria-owns=a><button>B</button></div>"
        "<canvas><div aria-owns=c></div></canvas><button id=c>C</button><select aria-label=s><option>o</select>"
        "<object type=text/html data='data:,'><div aria-owns=d></div></object><button id=d>D</button>"
        "<div aria-hidden=true><button id=e>E</button></div><div role=group aria-owns=e></div>"
    )
    names = [node["name"] for node in nodes_of(await page.snapshot()) if node["role"] == "button"]
    assert sorted(names) == ["A", "B", "C", "D", "E"]
    assert await found(page, role="button", name="E") == [("button", "E")]
    assert (await page.run("locate", target={"role": "button", "name": "E"}, limit=2))["total"] == 1


async def test_text_of_closed_shadow_trees_is_found_once_they_are_handed_in(page: AgentPage) -> None:
    await page.show(
        "<title>t</title><div id=h>light</div>"
        "<script>h.attachShadow({mode: 'closed'}).innerHTML = '<button>Closed</button><slot></slot>'</script>"
    )
    tree = await page.snapshot()
    assert [child if isinstance(child, str) else child["name"] for child in tree["children"]] == ["Closed", "light"]
