"""Texts that change by themselves, such as prices and clocks: no effect of an action that they change during.

Which texts do, the agent observes between actions (kapture/page/agent/dom/ticking.js). Only numbers in them may change
unnoticed: other words are an effect.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Set

import attrs
import msgspec

from kapture.snapshot.node import Node
from kapture.snapshot.quoting import flat, quote
from kapture.snapshot.tree import FrameView, Tree

_NUMBER = re.compile(r"[+\-−▲▼↑↓]?[0-9]+(?:[.,:][0-9]+)*")
_SHOWN_CHARS = 60


def without_numbers(text: str) -> str:
    """The text with each of its numbers as 0, as the agent writes it."""
    return _NUMBER.sub("0", text)


def ticking_texts(*trees: Tree) -> frozenset[str]:
    """What changes by itself in any of these."""
    return frozenset().union(*(view.ticking for tree in trees for view in tree.frames.values()))


@attrs.frozen
class Steadied:
    """An old page with the numbers of the new one where they change by themselves, and the texts that have."""

    old: Tree
    ticked: tuple[str, ...]

    def line(self) -> str:
        """What has changed by itself, in a line; "" if nothing has."""
        if not self.ticked:
            return ""
        what = "a text changes by itself" if len(self.ticked) == 1 else f"{len(self.ticked)} texts change by themselves"
        return f"({what}: {quote(flat(self.ticked[0]), _SHOWN_CHARS)}{', …' * (len(self.ticked) > 1)})"


def steadied(old: Tree, new: Tree) -> Steadied:
    """The old page to compare the new one with."""
    ticking = ticking_texts(old, new)
    if not ticking:
        return Steadied(old, ())
    texts = defaultdict[str, list[str]](list)
    for text in _texts(new, ticking):
        texts[without_numbers(text)].append(text)
    before = defaultdict[str, list[str]](list)
    for text in _texts(old, ticking):
        before[without_numbers(text)].append(text)
    # Where there are more or fewer than before, something else has happened.
    now = {key: iter(given) for key, given in texts.items() if len(given) == len(before[key])}
    ticked = [text for key in now for was, text in zip(before[key], texts[key], strict=True) if was != text]
    if not ticked:
        return Steadied(old, ())

    def current(text: str) -> str:
        key = without_numbers(text)
        return next(now[key]) if key in ticking and key in now else text

    def steady(node: Node) -> Node:
        name = current(node.name) if node.name else ""
        children = tuple(current(child) if isinstance(child, str) else steady(child) for child in node.children)
        return msgspec.structs.replace(node, name=name, children=children)

    def steady_view(view: FrameView) -> FrameView:
        return view if view.root is None else attrs.evolve(view, root=steady(view.root))

    frames = {key: steady_view(view) for key, view in old.frames.items()}
    return Steadied(attrs.evolve(old, frames=frames), tuple(ticked))


def _texts(tree: Tree, ticking: Set[str]) -> Iterator[str]:
    """The names and texts that change by themselves, in the order in which `steadied` visits them."""
    for view in tree.frames.values():
        if view.root is not None:
            yield from (text for text in _texts_in(view.root) if without_numbers(text) in ticking)


def _texts_in(node: Node) -> Iterator[str]:
    if node.name:
        yield node.name
    for child in node.children:
        if isinstance(child, str):
            yield child
        else:
            yield from _texts_in(child)
