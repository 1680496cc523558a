"""What an action does by itself is told apart from what the page does then."""

from __future__ import annotations

from typing import Any

from kapture.snapshot.node import Node
from kapture.snapshot.tree import FrameView, Tree


def page(*children: Node | str, document: str = "D") -> Tree:
    return Tree({"": FrameView(key="", document=document, root=Node("document", 1, children=children))})


def node(role: str, ref: int, **more: Any) -> Node:
    return Node(role, ref, **more)


def test_the_focus_and_the_value_of_a_field_are_what_the_action_did() -> None:
    before = page(node("button", 2, name="Go"), node("textbox", 3, name="Search"))
    assert page(
        node("button", 2, name="Go"), node("textbox", 3, name="Search", value="pe", states={"focused": True})
    ).same_but_focus(before)
    assert page(
        node("button", 2, name="Go", states={"focused": True}), node("textbox", 3, name="Search")
    ).same_but_focus(before)


def test_everything_else_is_what_the_page_did() -> None:
    before = page(node("button", 2, name="Go"), "text")
    for after in (
        page(node("button", 2, name="Gone"), "text"),
        page(node("button", 2, name="Go", states={"disabled": True}), "text"),
        page(node("button", 2, name="Go"), "other text"),
        page(node("button", 2, name="Go"), "text", node("list", 4)),
        page(node("button", 2, name="Go")),
        page(node("button", 2, name="Go"), "text", document="E"),
    ):
        assert not after.same_but_focus(before)
