"""Which part of the old page a part of the new one is."""

from __future__ import annotations

from kapture.snapshot.changes import describe
from kapture.snapshot.node import Node
from tests.unit.snapshot.trees import document, page


def test_one_of_several_equal_texts_that_changes_moves_none() -> None:
    def form(*texts: str) -> Node:
        fields = [Node(role="textbox", ref=at + 2, name=f"Field {at}") for at in range(len(texts))]
        return Node(role="form", ref=1, children=tuple(x for pair in zip(texts, fields, strict=True) for x in pair))

    old, new = form("Select...", "Select...", "Select..."), form("Vanilla", "Select...", "Select...")
    changes = describe(page(document(old)), page(document(new)), root=None, max_chars=20_000)
    assert changes == '~ "Vanilla" (was "Select...")'
