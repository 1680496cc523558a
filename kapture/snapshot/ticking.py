"""Texts that change by themselves, such as prices and clocks: no effect of an action that they change during.

Which texts do, the agent reports with what an action has changed (kapture/page/agent/act/effects/changes.js).
"""

from __future__ import annotations

import re
from collections.abc import Set

import attrs
import msgspec

from kapture.snapshot.node import Node
from kapture.snapshot.quoting import flat, quote
from kapture.snapshot.tree import Tree

_NUMBER = re.compile(r"[+\-−▲▼↑↓]?[0-9]+(?:[.,:][0-9]+)*")
_SHOWN_CHARS = 60


@attrs.frozen
class Steadied:
    """An old page with the texts of the new one where they change by themselves, and those texts."""

    old: Tree
    ticked: tuple[str, ...]

    def line(self) -> str:
        """Describe spontaneous changes in a line; "" if there are none."""
        if not self.ticked:
            return ""
        what = "a text changes by itself" if len(self.ticked) == 1 else f"{len(self.ticked)} texts change by themselves"
        return f"({what}: {quote(flat(self.ticked[0]), _SHOWN_CHARS)}{', …' * (len(self.ticked) > 1)})"


def steadied(old: Tree, new: Tree, ticking: Set[str]) -> Steadied:
    """The old page to compare the new one with. `ticking`: texts whose numbers change, with each number as 0."""
    if not ticking:
        return Steadied(old, ())
    before, after = _texts(old, ticking), _texts(new, ticking)
    # Where there are more or fewer than before, something else has happened.
    now = {key: iter(texts) for key, texts in after.items() if len(texts) == len(before.get(key, ()))}
    ticked: list[str] = []

    def current(was: str) -> str:
        text = next(now[_steady(was)]) if _steady(was) in now else was
        if text != was:
            ticked.append(text)
        return text

    def steady(node: Node) -> Node:
        name = current(node.name) if node.name else ""
        children = tuple(current(child) if isinstance(child, str) else steady(child) for child in node.children)
        return msgspec.structs.replace(node, name=name, children=children)

    frames = {
        key: view if view.root is None else attrs.evolve(view, root=steady(view.root))
        for key, view in old.frames.items()
    }
    return Steadied(attrs.evolve(old, frames=frames) if ticked else old, tuple(ticked))


def _texts(tree: Tree, ticking: Set[str]) -> dict[str, list[str]]:
    """The names and texts whose numbers change by themselves, in the order in which `steadied` visits them."""
    found: dict[str, list[str]] = {}

    def visit(node: Node) -> None:
        for text in (node.name, *node.children):
            if not isinstance(text, str):
                visit(text)
            elif text and (key := _steady(text)) in ticking:
                found.setdefault(key, []).append(text)

    for view in tree.frames.values():
        if view.root is not None:
            visit(view.root)
    return found


def _steady(text: str) -> str:
    return _NUMBER.sub("0", text)
