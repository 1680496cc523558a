"""Targets that nearly fit: roles that one would guess, candidates, and what comes close."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage, nodes_of
from tests.support.orders_page import ORDERS

pytestmark = pytest.mark.e2e


async def test_what_is_found_is_numbered_as_targets_count(page: AgentPage) -> None:
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


async def test_what_comes_close_is_a_field_beside_the_text_and_never_the_document(page: AgentPage) -> None:
    await page.show("<title>Billing address</title><p><span>Billing address</span> <input></p><button>Pay</button>")
    answer = await page.run("locate", target={"label": "Biling adress"}, limit=5)
    field = next(node["ref"] for node in nodes_of(await page.snapshot()) if node["role"] == "textbox")
    assert answer["near"] == [f'textbox beside "Billing address" {{ref:{field}}}']


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
