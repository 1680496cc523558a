"""Texts that change by themselves are left out of the difference, and only those."""

from __future__ import annotations

import attrs
import pytest

from kapture.snapshot.node import Node
from kapture.snapshot.ticking import steadied
from kapture.snapshot.tree import FrameView, Tree


def page(clock: str, cart: str, ref: int = 2) -> Tree:
    item = Node(role="listitem", ref=ref, children=(clock,))
    return Tree({"": FrameView(key="", root=Node(role="document", ref=1, children=(item, cart)))})


@pytest.mark.parametrize(
    ("ticking", "same"),
    [({"ACME 0"}, True), ({"Other 0"}, False), (set(), False)],
)
def test_text_that_changes_by_itself_is_no_difference(ticking: set[str], same: bool) -> None:
    old, new = page("ACME 1", "Cart 0"), page("ACME 2", "Cart 0")
    steady = steadied(old, new, ticking)
    assert (steady.old == new) == same
    assert steady.ticked == (("ACME 2",) if same else ())


def test_other_words_of_a_text_whose_numbers_tick_are_a_difference() -> None:
    steady = steadied(page("ACME 1", "none"), page("sold out", "none"), {"ACME 0"})
    assert steady.ticked == ()


def test_text_of_an_element_that_is_rendered_anew_is_no_difference() -> None:
    steady = steadied(page("ACME 1", "x"), page("ACME 2", "x", ref=9), {"ACME 0"})
    assert steady.old == page("ACME 2", "x")


def test_line_quotes_what_ticks() -> None:
    steady = steadied(page("ACME 1", "x"), page("ACME 2", "x"), {"ACME 0"})
    assert steady.line() == '(a text changes by itself: "ACME 2")'
    assert attrs.evolve(steady, ticked=("a", "b")).line() == '(2 texts change by themselves: "a", …)'
