"""Numbers that change by themselves are no change; other words, and other texts, are."""

from __future__ import annotations

from typing import Any

from kapture.snapshot.effect import has_gone_on, is_awaited
from kapture.snapshot.node import Node
from kapture.snapshot.ticking import steadied, without_numbers
from kapture.snapshot.tree import FrameView, Tree

TICKING = frozenset({"ACME 0", "Updated 0 times"})


def page(*children: Any, ticking: frozenset[str] = TICKING) -> Tree:
    return Tree({"": FrameView(key="", root=Node("document", 1, children=children), ticking=ticking)})


def test_numbers_are_left_out_with_their_signs_and_separators() -> None:
    assert without_numbers("DAX +1,234.50 (−0.3 %) at 12:59:01") == "DAX 0 (0 %) at 0"


def test_what_changes_by_itself_is_as_it_is_now() -> None:
    old, new = page("ACME 1.5", "Cart 1", "Updated 3 times"), page("ACME 1.6", "Cart 1", "Updated 3 times")
    steady = steadied(old, new)
    assert steady.old == new
    assert steady.line() == '(a text changes by itself: "ACME 1.6")'
    assert steadied(new, new).line() == ""


def test_names_and_equal_texts_are_told_apart_by_their_order() -> None:
    old = page(Node("button", 2, "ACME 1"), "ACME 2", Node("link", 3, "ACME 3"))
    new = page(Node("button", 2, "ACME 4"), "ACME 5", Node("link", 3, "ACME 3"))
    steady = steadied(old, new)
    assert steady.old == new
    assert steady.line() == '(2 texts change by themselves: "ACME 4", …)'


def test_one_more_of_them_is_a_change() -> None:
    assert steadied(page("ACME 1"), page("ACME 2", "ACME 3")).old == page("ACME 1")


def test_an_effect_is_still_awaited_while_only_numbers_change_by_themselves() -> None:
    before = page("ACME 1", "Cart 1", ticking=frozenset())
    assert is_awaited(before, page("ACME 2", "Cart 1"))
    assert not has_gone_on(before, page("ACME 2", "Cart 1"))
    assert has_gone_on(before, page("ACME 2", "Cart 2"))
    assert has_gone_on(before, page("ACME sold", "Cart 1"))
    assert has_gone_on(before, page("ACME 2", "Cart 1", ticking=frozenset()))
