"""The elements of a page, with what is around them, from a snapshot as JSON.

A snapshot does not show how elements are laid out: the neighbours and sections taken from it only preselect candidates.
What decides is what the page itself says is around these (`locate/surroundings.js` of the agent).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from kapture.scenarios.healing.likeness import Seen, kin
from kapture.scenarios.healing.names import without_count

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
_ACTIONS = frozenset({"button", "menuitem", "menuitemcheckbox", "menuitemradio", "switch", "tab"})
_CLOSED = frozenset({"alertdialog", "dialog", "listbox", "menu", "menubar", "navigation", "tablist"})
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
    """The texts of the smallest part of the page around an element that has texts besides its own, nearest first; names
    of buttons only where there is nothing else.

    If that part contains a similar element, texts beyond it are left out: cards are not always elements of the tree.
    """
    actions: list[str] = []
    for parent in reversed(path):
        leaves = _beside(parent, node)
        if texts := _nearest(*(_names(side, actions=False) for side in leaves)):
            return texts[:_MOST_NEIGHBOURS]
        actions = actions or _nearest(*(_names(side, actions=True) for side in leaves))
        if actions and parent.get("role") in _CLOSED:
            break
    return actions[:_MOST_NEIGHBOURS]


def _beside(parent: Node, node: Node) -> tuple[list[Node | str], list[Node | str]]:
    """What is before an element, from near to far, and what is after it, both up to the next similar element."""
    before: list[Node | str] = []
    after: list[Node | str] = []
    here = before
    for child in _leaves(parent, node):
        if child is node:
            here = after
        elif not _equal(child, node):
            here.append(child)
        elif here is before:
            before.clear()
        else:
            break
    return before[::-1], after


def _names(leaves: Sequence[Node | str], *, actions: bool) -> list[str]:
    """The names of buttons, or the other texts."""
    return [
        text
        for one in leaves
        if actions == (not isinstance(one, str) and one.get("role") in _ACTIONS)
        and (text := one if isinstance(one, str) else str(one.get("name", "")))
    ]


def _leaves(parent: Node, own: Node) -> Iterator[Node | str]:
    """Texts and named elements among the descendants, in document order; the element itself unchanged."""
    for child in parent.get("children", ()):
        if isinstance(child, str) or child is own:
            yield child
        else:
            if child.get("name"):
                yield child
            if child.get("role") not in _ACTIONS:
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
