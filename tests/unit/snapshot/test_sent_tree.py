from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kapture.snapshot.node import Node
from kapture.snapshot.tree import KnownTree, SentTree, completed

VECTORS = json.loads((Path(__file__).parents[2] / "snapshot" / "sent_trees.json").read_text("utf-8"))


def _node(described: Mapping[str, Any]) -> Node:
    children = tuple(child if isinstance(child, str) else _node(child) for child in described.get("children", ()))
    hint = described.get("hint")
    return Node(**{**described, "children": children, "hint": None if hint is None else tuple(hint)})


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector["name"]) for vector in VECTORS])
def test_every_vector_is_read_as_the_tree_that_it_was_made_of(vector: dict[str, Any]) -> None:
    known = None
    answer = {"root": vector["sent"], "number": 8}
    if "base" in vector:
        known = KnownTree(7, _node(vector["base"]))
        answer["base"] = 7
    sent = msgspec.json.decode(json.dumps(answer), type=SentTree)
    assert completed(sent, known) == _node(vector["tree"])


def test_what_has_not_changed_is_the_same_object() -> None:
    still = Node(role="list", ref=2, children=("a",))
    known = KnownTree(7, Node(role="document", ref=1, children=(still, "b")))
    sent = SentTree(Node(role="document", ref=1, children=(Node(role="", ref=2), "c")), number=8, base=7)
    root = completed(sent, known)
    assert root.children[0] is still
    assert completed(SentTree(Node(role="", ref=1), number=9, base=8), KnownTree(8, root)) is root


def test_facts_that_are_not_known_yet_are_passed_over() -> None:
    answer = b'{"root": ["button", 3, "", [], false, {}, null, false, null, null, null, null, false, 1], "fresh": 1}'
    assert msgspec.json.decode(answer, type=SentTree).root == Node(role="button", ref=3)
