"""Which part of the old page a part of the new one is."""

from __future__ import annotations

from kapture.snapshot.changes import describe
from kapture.snapshot.content import Piece
from kapture.snapshot.matching import match
from kapture.snapshot.node import Node
from tests.unit.snapshot.trees import document, page


def test_one_of_several_equal_texts_that_changes_moves_none() -> None:
    def form(*texts: str) -> Node:
        fields = [Node(role="textbox", ref=at + 2, name=f"Field {at}") for at in range(len(texts))]
        return Node(role="form", ref=1, children=tuple(x for both in zip(texts, fields, strict=True) for x in both))

    old, new = form("Select...", "Select...", "Select..."), form("Vanilla", "Select...", "Select...")
    changes = describe(page(document(old)), page(document(new)), root=None, max_chars=20_000)
    assert changes == '~ "Vanilla" (was "Select...")'


def test_what_is_shown_in_place_of_what_the_page_has_hidden_is_another_element() -> None:
    mail = Node(role="textbox", ref=1, name="E-mail")
    dates = Node(role="textbox", ref=3, name="Dates")
    old = [Piece("", mail), Piece("", Node(role="button", ref=2, name="Next", states={"disabled": True}))]
    new = [Piece("", dates), Piece("", Node(role="button", ref=4, name="Next"))]
    assert [was for was, _ in match(old, new)] == old
    assert [was for was, _ in match(old, new, hidden={("", 1), ("", 2)})] == [None, None]
