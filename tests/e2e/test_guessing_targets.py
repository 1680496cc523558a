"""Targets that nearly fit: roles that one would guess, candidates, and what comes close."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.agent_page import AgentPage, nodes_of
from tests.support.orders_page import ORDERS

pytestmark = pytest.mark.e2e


async def test_found_elements_are_numbered_as_targets_count(page: AgentPage) -> None:
    await page.show("<title>t</title><div style='height:5000px'><button>Edit</button></div><button>edit</button>")
    await page.evaluate("scrollTo(0, 5000)")
    answer = await page.run("find", role="button", name="edit")
    numbered = {match["nth"]: match["ref"] for match in answer["matches"]}
    assert [match["nth"] for match in answer["matches"]] == [1, 0]
    located = await page.run("locate", target={"role": "button", "name": "edit"}, limit=5)
    assert [match["ref"] for match in located["matches"]] == [numbered[0], numbered[1]]


async def test_candidates_say_where_they_are(page: AgentPage) -> None:
    await page.show(ORDERS)
    answer = await page.run("locate", target={"role": "button", "name": "Edit"}, limit=5)
    assert [match["context"] for match in answer["matches"]] == ['row "Green tea"', 'row "Coffee"']
    alone = await page.run("locate", target={"role": "textbox"}, limit=5)
    assert "context" not in alone["matches"][0]


async def test_near_match_is_a_field_beside_text_and_never_the_document(page: AgentPage) -> None:
    await page.show("<title>Billing address</title><p><span>Billing address</span> <input></p><button>Pay</button>")
    answer = await page.run("locate", target={"label": "Biling adress"}, limit=5)
    field = next(node["ref"] for node in nodes_of(await page.snapshot()) if node["role"] == "textbox")
    assert answer["near"] == [f'textbox beside "Billing address" {{ref:{field}}}']


async def test_a_role_whose_only_element_is_hidden_is_not_guessed(page: AgentPage) -> None:
    fields = "<div contenteditable>Hello team</div><p {}><input type=search></p>"
    target = {"role": "searchbox"}
    await page.show(fields.format("hidden"))
    assert (await page.run("locate", target=target, limit=5))["total"] == 0
    await page.show("<div contenteditable>Hello team</div>")
    assert (await page.run("locate", target=target, limit=5))["matches"][0]["tag"] == "div"


@pytest.mark.parametrize("shown", ["none", "block"])
async def test_an_entry_is_found_by_its_own_words_though_its_entries_have_them_too(page: AgentPage, shown: str) -> None:
    await page.show(f"<ul><li id=own>Lenses<ul style='display:{shown}'><li><a href='#'>Wide lenses</a></ul></ul>")
    answer = await page.run("locate", target={"text": "Lenses"}, limit=5)
    assert [match["tag"] for match in answer["matches"]] == ["li"]
    wide = await page.run("locate", target={"text": "wide"}, limit=5)
    assert [match["tag"] for match in wide["matches"]] == ["a"]


NAMELESS = """<title>t</title><ul><li><span>Milk</span> <input type=checkbox></li>
<li><span>Salt</span> <input type=checkbox></li><li><span>Salt</span> <input type=checkbox></li>
<li><span>Tea</span> <button></button></li></ul><h2>Notes</h2><p><input></p>"""


async def test_the_only_field_without_a_name_is_found_by_the_words_beside_it(page: AgentPage) -> None:
    await page.show(NAMELESS)

    async def ready(role: str, name: str, appear: float = 100, **more: Any) -> dict[str, Any]:
        target = {"role": role, "name": name, **more}
        answer: dict[str, Any] = await page.run(
            "ready", target=target, purpose="click", timeout=5_000, appear=appear, limit=5
        )
        return answer

    found = await ready("checkbox", "milk")
    assert (found["status"], found["element"]["tag"]) == ("ready", "input")
    assert (await ready("checkbox", "Salt"))["status"] == "none", "two have these words beside them"
    assert (await ready("button", "Tea"))["status"] == "none", "words beside a button do not say what it does"
    assert (await ready("textbox", "Notes"))["status"] == "none", "a heading is about all that follows"
    assert (await ready("checkbox", "Milk", exact=True))["status"] == "none", "an exact name is not guessed"
    assert (await ready("checkbox", "Milk", appear=0))["status"] == "none", "one with the name may still appear"


LONE_LABELS = """<title>t</title><form>
<div><label>City *</label><div><span>Please select</span> <input id=city></div></div>
<div><label>Day</label><div><input placeholder="Select date" id=day></div></div>
<div><label>Time</label><div><input placeholder=hour><input placeholder=minute></div></div>
<div><label>Code</label><div><input aria-label=PIN></div></div></form>"""


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ({"label": "City"}, "city"),
        ({"role": "textbox", "name": "Day"}, "day"),
        ({"role": "checkbox", "name": "Day"}, None),
        ({"label": "Time"}, None),
        ({"label": "Code"}, None),
    ],
)
async def test_a_label_without_a_control_finds_the_only_field_in_the_box_around_it(
    page: AgentPage, target: dict[str, str], wanted: str | None
) -> None:
    await page.show(LONE_LABELS)
    found = await page.run("ready", target=target, purpose="fill", timeout=5_000, appear=100, limit=5)
    assert found["status"] == ("none" if wanted is None else "ready")
    if wanted is not None:
        point = found["point"]
        assert await page.evaluate(f"document.elementFromPoint({point['x']}, {point['y']}).id") == wanted


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        ("textbox", "date"),
        ("date", "date"),
        ("textbox", "color"),
        ("color", "color"),
        ("time", "time"),
        ("input", "week"),
    ],
)
async def test_a_field_is_found_by_a_role_that_one_would_guess(page: AgentPage, guess: str, kind: str) -> None:
    await page.show(f"<title>t</title><label>When <input type={kind} id=it></label><button>When</button>")
    for answer in (
        await page.run("locate", target={"role": guess, "name": "When"}, limit=2),
        await page.run("find", role=guess, name="When"),
    ):
        assert answer["total"] == 1
        assert answer["matches"][0]["tag"] == "input"


async def test_an_exact_role_keeps_guesses_out(page: AgentPage) -> None:
    await page.show("<title>t</title><label>When <input></label><label>When <input type=date></label>")
    answer = await page.run("locate", target={"role": "textbox", "name": "When"}, limit=5)
    assert [match["role"] for match in answer["matches"]] == ["textbox"]


@pytest.mark.parametrize(("role", "near"), [("buton", ['button "Pay"', 'button "Cancel"']), ("slider", [])])
async def test_a_role_that_is_misspelt_is_suggested_with_what_has_it(
    page: AgentPage, role: str, near: list[str]
) -> None:
    await page.show("<title>t</title><h1>Billing</h1><button>Pay</button><button>Cancel</button><a href=#>Help</a>")
    assert (await page.run("locate", target={"role": role}, limit=5))["near"] == near
