"""A whole page: the trees of its frames, each in the place of its `iframe`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Literal, TypeAlias

import attrs
import msgspec

from kapture.page.ref import Key
from kapture.snapshot.node import Node

_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})

Problem: TypeAlias = Literal["", "not granted", "crashed", "does not answer", "not loaded"]


@attrs.frozen(kw_only=True)
class FrameView:
    """One frame. `root` is None exactly when `problem` says why nothing of it is shown.

    `document` tells documents of a frame apart: it is equal in two views exactly when they show the same one.
    """

    key: str
    parent: str | None = None
    url: str = ""
    title: str = ""
    document: str = ""
    root: Node | None = None
    problem: Problem = ""


@attrs.frozen
class Covered:
    """The page behind a dialog, and the dialog."""

    page: Tree
    dialog: Key


@attrs.frozen
class Tree:
    """What a page showed at one moment. Immutable, so that diffs can hold on to it.

    `covered`: what the page showed before a dialog covered it (kapture/snapshot/cover.py).
    """

    frames: dict[str, FrameView]
    covered: Covered | None = attrs.field(default=None, eq=False)

    @property
    def main(self) -> FrameView:
        """The top frame."""
        return self.frames[""]

    def same_but_focus(self, other: Tree) -> bool:
        """Whether nothing but the focus, what fields hold, and what is in view is different: what an action does by
        itself, before the page does anything."""
        if self == other:
            return True
        return self.main.document == other.main.document and all(
            mine == theirs for mine, theirs in zip_longest(self._without_focus(), other._without_focus())
        )

    def _without_focus(self) -> Iterator[object]:
        for frame, node in self.walk():
            states = {name: state for name, state in node.states.items() if name != "focused"}
            if node.role in _FIELDS:
                yield frame, states, msgspec.structs.replace(node, children=(), states={}, offscreen=False, value=None)
            else:
                words = tuple(child if isinstance(child, str) else child.ref for child in node.children)
                yield frame, words, states, msgspec.structs.replace(node, children=(), states={}, offscreen=False)

    def shown(self, node: Node) -> FrameView | None:
        """The frame that this `iframe` shows."""
        return None if node.frame is None else self.frames.get(node.frame)

    def inside(self, frame: str) -> list[FrameView]:
        """Frames below one of which nothing is shown: their own `iframe` elements stand in what is not shown."""
        return [
            view
            for view in self.frames.values()
            if view.parent == frame and (view.root is not None or self.inside(view.key))
        ]

    def walk(self) -> Iterator[tuple[str, Node]]:
        """Every element that is shown, with its frame's key, in document order through all frames."""
        for frame, node, _ in self._walk():
            yield frame, node

    def path(self, key: Key) -> list[tuple[str, Node]] | None:
        """The elements from the root of the main frame down to this one; None when it is not shown."""
        seen: list[tuple[str, Node, int]] = []
        for frame, node, parent in self._walk():
            seen.append((frame, node, parent))
            if (frame, node.ref) == key:
                break
        else:
            return None
        path: list[tuple[str, Node]] = []
        at = len(seen) - 1
        while at >= 0:
            frame, node, at = seen[at]
            path.append((frame, node))
        return path[::-1]

    def _walk(self) -> Iterator[tuple[str, Node, int]]:
        """Each element with its frame's key, and how many elements came before its parent (-1: it has none)."""
        stack: list[tuple[str, Node, int]] = []
        if self.main.root is not None:
            stack.append(("", self.main.root, -1))
        visited = {""}
        count = -1
        while stack:
            frame, node, parent = stack.pop()
            yield frame, node, parent
            count += 1
            below = [(frame, child, count) for child in node.children if not isinstance(child, str)]
            if node.frame is not None:
                for view in self.framed(node):
                    if view.root is not None and view.key not in visited:
                        visited.add(view.key)
                        below.append((view.key, view.root, count))
            stack.extend(reversed(below))

    def framed(self, node: Node) -> list[FrameView]:
        """What stands in the place of an `iframe`: its frame, or, when that is not shown, those within it that are."""
        view = self.shown(node)
        if view is None:
            return []
        return [view] if view.root is not None else self._reachable(view.key)

    def _reachable(self, frame: str) -> list[FrameView]:
        found = []
        for view in self.inside(frame):
            found += [view] if view.root is not None else self._reachable(view.key)
        return found
