"""What an action does by itself, and what says that more is coming, is told apart from what the page does then."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from kapture.snapshot.effect import announces_more, has_gone_on, is_awaited, may_suggest_more
from kapture.snapshot.node import Node
from kapture.snapshot.tree import Covered, FrameView, Tree


def page(*children: Node | str, document: str = "D", url: str = "/") -> Tree:
    return Tree({"": FrameView(key="", document=document, url=url, root=Node("document", 1, children=children))})


def node(role: str, ref: int, **more: Any) -> Node:
    return Node(role, ref, **more)


GO = node("button", 2, name="Go")
SEARCH = node("textbox", 3, name="Search")
TEA = node("checkbox", 4, name="Tea", states={"checked": False})
BEFORE = page(GO, SEARCH, TEA, "text", "12:59:00")

BY_ITSELF = {
    "the focus and a value": page(
        GO, node("textbox", 3, name="Search", value="pe", states={"focused": True}), TEA, "text", "12:59:00"
    ),
    "a tick": page(GO, SEARCH, node("checkbox", 4, name="Tea", states={"checked": True}), "text", "12:59:00"),
    "another ref": page(node("button", 9, name="Go"), SEARCH, TEA, "text", "12:59:00"),
    "a sign that more comes": page(GO, SEARCH, TEA, "text", "12:59:00", "Searching…"),
    "an item that says so": page(
        GO, SEARCH, TEA, "text", "12:59:00", node("listitem", 7, clickable=True, children=("Searching…",))
    ),
    "a spinner": page(GO, SEARCH, TEA, "text", "12:59:00", node("progressbar", 8)),
    "a button that is disabled": page(
        node("button", 2, name="Go", states={"disabled": True}), SEARCH, TEA, "text", "12:59:00"
    ),
    "a button that says so": page(
        node("button", 8, name="Going...", states={"disabled": True}), SEARCH, TEA, "text", "12:59:00"
    ),
    "contents that went": page(GO, SEARCH, TEA),
    "a clock that goes on": page(GO, SEARCH, TEA, "text", "12:59:01"),
}

EFFECTS = {
    "another name": page(node("button", 2, name="Gone"), SEARCH, TEA, "text"),
    "another text": page(GO, SEARCH, TEA, "other text"),
    "one more thing": page(GO, SEARCH, TEA, "text", node("list", 4, name="Found")),
    "another order": page(SEARCH, GO, TEA, "text", "12:59:00"),
    "another icon": page(GO, SEARCH, TEA, "text", node("button", 5, hint=("icon", "check"))),
    "another document": page(GO, SEARCH, TEA, "text", document="E"),
}


@pytest.mark.parametrize("after", BY_ITSELF.values(), ids=BY_ITSELF)
def test_what_an_action_does_by_itself_is_not_its_effect_yet(after: Tree) -> None:
    assert is_awaited(BEFORE, after)


@pytest.mark.parametrize("after", EFFECTS.values(), ids=EFFECTS)
def test_everything_else_is_what_the_page_did(after: Tree) -> None:
    assert not is_awaited(BEFORE, after)
    assert has_gone_on(BEFORE, after)


def test_typing_is_followed_by_suggestions_results_or_messages_and_not_by_what_belongs_to_the_field() -> None:
    typed, item = node("textbox", 3, name="Search", value="pe"), node("listitem", 5, children=("Tea",))
    before = page(SEARCH, item)
    assert may_suggest_more(before, page(typed, node("button", 6, name="Clear"), item, "2/99"))
    assert may_suggest_more(before, page(typed))
    assert not may_suggest_more(before, page(typed, item, node("option", 6, name="Peru")))
    assert not may_suggest_more(before, page(typed, item, node("alert", 6)))
    assert not may_suggest_more(before, page(typed, document="E"))


def test_a_page_that_only_says_that_more_comes_has_not_gone_on() -> None:
    assert not has_gone_on(BEFORE, page(GO, SEARCH, TEA, "text", "12:59:01", "Searching…"))
    assert not has_gone_on(page(GO, "Searching…"), page(GO))
    assert has_gone_on(page(GO, "Searching…"), page(GO, "3 found"))


def test_a_page_that_takes_something_away_or_enables_it_has_gone_on() -> None:
    disabled = page(node("button", 2, name="Go", states={"disabled": True}))
    assert has_gone_on(page(GO, "Apple", "Pear"), page(GO, "Pear"))
    assert has_gone_on(disabled, page(GO))
    assert has_gone_on(page(TEA), page(node("checkbox", 4, name="Tea", states={"checked": True})))


@pytest.mark.parametrize("sign", ["a sign that more comes", "an item that says so", "a spinner"])
def test_new_signs_announce_more_and_those_that_were_there_do_not(sign: str) -> None:
    assert announces_more(BEFORE, BY_ITSELF[sign])
    assert not announces_more(BY_ITSELF[sign], BY_ITSELF[sign])
    assert not announces_more(BY_ITSELF[sign], BEFORE)
    assert not announces_more(BEFORE, BY_ITSELF["a tick"])


def test_the_page_that_a_modal_dialog_covered_is_no_news_when_it_is_shown_again() -> None:
    dialog = node("dialog", 5, name="Sure?", states={"modal": True}, children=(node("button", 6, name="Yes"),))
    covering = attrs.evolve(page(dialog), covered=Covered(page=page(GO, "3 mails"), layer=("", 5)))
    assert is_awaited(covering, page(GO, "3 mails"))
    assert not has_gone_on(covering, covering)
    assert has_gone_on(covering, page(GO, "2 mails"))
