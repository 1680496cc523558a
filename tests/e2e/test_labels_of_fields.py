"""Labels that name their fields while something covers the page, or with something else in them."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage, nodes_of

pytestmark = pytest.mark.e2e

LABELS = {
    "in what a modal list hides": (
        "<div inert aria-hidden=true><label for=i>label <b>b</b></label></div><input id=i>",
        "label b",
    ),
    "hidden itself": ("<label for=i aria-hidden=true>label</label><input id=i>", ""),
    "inert itself": ("<label for=i inert>label</label><input id=i>", ""),
    "with a calendar in it": (
        "<label>label <span style='position: absolute'>day</span><input id=i>"
        "<div style='position: absolute'><button>back</button><i>1</i></div></label>",
        "label day",
    ),
}


@pytest.mark.parametrize(("markup", "name"), LABELS.values(), ids=LABELS)
async def test_a_field_has_the_name_that_a_person_would_give_it(page: AgentPage, markup: str, name: str) -> None:
    await page.show(f"<!doctype html><title>t</title>{markup}")
    answer = await page.run("locate", target={"css": "#i"}, limit=2)
    assert answer["matches"][0]["name"] == name


@pytest.mark.parametrize(("placeholder", "description"), [("Add a tag", "Add a tag"), ("\\200B", None)])
async def test_a_placeholder_that_nobody_can_see_is_no_description(
    page: AgentPage, placeholder: str, description: str | None
) -> None:
    style = f"<style>[contenteditable]:empty::before {{ content: '{placeholder}' }}</style>"
    await page.show(f"<!doctype html><title>t</title>{style}<div contenteditable role=textbox aria-label=Tags></div>")
    [editor] = [node for node in nodes_of(await page.snapshot()) if node["role"] == "textbox"]
    assert editor.get("description") == description


async def test_a_field_is_found_by_its_label_whatever_its_role(page: AgentPage) -> None:
    """Carbon's number field has the role alert."""
    await page.show("<!doctype html><title>t</title><label for=i>Amount</label><input id=i type=number role=alert>")
    answer = await page.run("locate", target={"label": "Amount"}, limit=2)
    assert [match["tag"] for match in answer["matches"]] == ["input"]
