"""The elements of a page, with what is around them, from a snapshot as JSON.

A snapshot does not show how elements are laid out: the neighbours and sections taken from it only preselect candidates.
What decides is what the page itself says is around these (`locate/surroundings.js` of the agent).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from kapture.scenarios.likeness import Seen, kin
from kapture.scenarios.names import without_count

_MOST_NEIGHBOURS = 6
_AROUND = frozenset(
    {
        "main",
        "navigation",
        "banner",
        "contentinfo",
        "complementary",
        "search",
        "form",
        "region",
        "dialog",
        "alertdialog",
        "group",
        "radiogroup",
    }
)
Node = Mapping[str, Any]


def elements_on(snapshot: Mapping[str, Any]) -> list[Seen]:
    """Every element that has a ref, in document order, with the texts near it."""
    root = snapshot.get("tree")
    if not isinstance(root, Mapping):
        return []
    found = [_seen(node, path) for node, path in walk(root, ())]
    return [_marked(one, found) for one in found]


def walk(node: Node, path: tuple[Node, ...]) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """A node and its descendants in document order, each with its ancestors, outermost first."""
    yield node, path
    for child in node.get("children", ()):
        if isinstance(child, Mapping):
            yield from walk(child, (*path, node))


def _seen(node: Node, path: Sequence[Node]) -> Seen:
    return Seen(
        ref=str(node.get("ref", "")),
        role=str(node.get("role", "")),
        name=str(node.get("name", "")) or " ".join(texts_of(node))[:200],
        neighbours=_neighbours(node, path),
        within=[
            f"{one['role']} {one['name']}" if one.get("name") else str(one["role"])
            for one in reversed(path)
            if one.get("role") in _AROUND
        ],
    )


def _neighbours(node: Node, path: Sequence[Node]) -> list[str]:
    """The texts of the smallest part of the page around an element that has texts besides its own, nearest first.

    If that part contains a similar element, texts beyond it are left out: cards are not always elements of the tree.
    """
    for parent in reversed(path):
        before: list[str] = []
        after: list[str] = []
        here = before
        for child in _leaves(parent, node):
            if child is node:
                here = after
            elif _equal(child, node):
                if here is before:
                    before.clear()
                else:
                    break
            else:
                here.append(child if isinstance(child, str) else str(child.get("name", "")))
        texts = [text for text in _nearest(before[::-1], after) if text]
        if texts:
            return texts[:_MOST_NEIGHBOURS]
    return []


def _leaves(parent: Node, own: Node) -> Iterator[Node | str]:
    """Texts and named elements among the descendants, in document order; the element itself unchanged."""
    for child in parent.get("children", ()):
        if isinstance(child, str) or child is own:
            yield child
        else:
            if child.get("name"):
                yield child
            yield from _leaves(child, own)


def _equal(child: Node | str, node: Node) -> bool:
    return (
        not isinstance(child, str) and child.get("role") == node.get("role") and child.get("name") == node.get("name")
    )


def _nearest(before: Sequence[str], after: Sequence[str]) -> list[str]:
    pairs = [text for at in range(max(len(before), len(after))) for text in (*before[at : at + 1], *after[at : at + 1])]
    return list(dict.fromkeys(pairs))


def texts_of(node: Node) -> Iterator[str]:
    """The texts in a node, in document order."""
    for child in node.get("children", ()):
        if isinstance(child, str):
            yield child
        else:
            yield from texts_of(child)


def _marked(one: Seen, found: Sequence[Seen]) -> Seen:
    name = without_count(one.name)
    shared = bool(name) and any(
        other is not one and without_count(other.name) == name and other.role and kin(one.role, other.role) > 0
        for other in found
    )
    return attrs.evolve(one, shared_name=True) if shared else one
