"""A whole page: the trees of its frames, each in place of its `iframe`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import attrs
import msgspec

from kapture.page.documents.frame import Frame, Key
from kapture.snapshot.node import Node

Problem: TypeAlias = Literal["", "not granted", "crashed", "out of reach", "does not answer", "not loaded"]


@attrs.frozen(kw_only=True)
class FrameView:
    """One frame. `root` is None exactly if `problem` says why nothing of it is shown.

    `document` identifies the frame's document: it is equal in two views exactly if they show the same one. `origin` is
    set for a frame outside the grant, of which nothing else is known.
    """

    key: str
    parent: str | None = None
    url: str = ""
    title: str = ""
    document: str = ""
    root: Node | None = None
    problem: Problem = ""
    origin: str = ""
    held_bytes: int = attrs.field(default=0, eq=False)
    """The estimated bytes of `root`."""
    behind: int = attrs.field(default=0, eq=False)
    """How many known elements are drawn but hidden by aria-hidden, inert or a modal dialog."""
    hidden: frozenset[int] = attrs.field(default=frozenset(), eq=False)
    """The refs of elements that are in the document and not in `root`."""
    left_out: int = attrs.field(default=0, eq=False)
    """How many controls are drawn in what aria-hidden or inert leaves out."""

    @property
    def why_not_shown(self) -> str:
        """Why nothing of it is shown, in words; "" if something is."""
        return f"{self.problem}: {self.origin}" if self.origin else self.problem


@attrs.frozen
class Covered:
    """The page behind a dialog or another modal layer, and that layer's element."""

    page: Tree
    layer: Key


@attrs.frozen
class Tree:
    """A page at one moment. Immutable, so that diffs can keep it.

    `covered`: what the page showed before a modal layer covered it (kapture/snapshot/cover.py).
    """

    frames: dict[str, FrameView]
    covered: Covered | None = attrs.field(default=None, eq=False)

    @property
    def main(self) -> FrameView:
        """The top frame."""
        return self.frames[""]

    def roots(self) -> dict[int, int]:
        """The estimated bytes of each root, by its identity; including those of the page behind a modal layer."""
        covered = self.covered.page.roots() if self.covered is not None else {}
        return covered | {id(view.root): view.held_bytes for view in self.frames.values() if view.root is not None}

    def hidden(self) -> set[Key]:
        """Known elements that the page still has, and does not show."""
        return {(key, ref) for key, view in self.frames.items() for ref in view.hidden}

    def shown(self, node: Node) -> FrameView | None:
        """The frame of this `iframe`."""
        return None if node.frame is None else self.frames.get(node.frame)

    def inside(self, frame: str) -> list[FrameView]:
        """Shown frames inside a frame that is not shown itself: their `iframe` elements are not shown either."""
        return [
            view
            for view in self.frames.values()
            if view.parent == frame and (view.root is not None or self.inside(view.key))
        ]

    def walk(self) -> Iterator[tuple[str, Node]]:
        """Every shown element, with its frame's key, in document order through all frames."""
        stack: list[tuple[str, Node]] = []
        if self.main.root is not None:
            stack.append(("", self.main.root))
        visited = {""}
        while stack:
            frame, node = stack.pop()
            yield frame, node
            below = [(frame, child) for child in node.children if not isinstance(child, str)]
            if node.frame is not None:
                for view in self.framed(node):
                    if view.root is not None and view.key not in visited:
                        visited.add(view.key)
                        below.append((view.key, view.root))
            stack.extend(reversed(below))

    def path(self, key: Key) -> list[tuple[str, Node]] | None:
        """The elements from the root of the main frame down to this one; None if it is not shown."""
        return None if self.main.root is None else self._path("", self.main.root, key, {""})

    def _path(self, frame: str, node: Node, key: Key, visited: set[str]) -> list[tuple[str, Node]] | None:
        if node.ref == key[1] and frame == key[0]:
            return [(frame, node)]
        for child in node.children:
            if not isinstance(child, str) and (path := self._path(frame, child, key, visited)) is not None:
                return [(frame, node), *path]
        for view in self.framed(node) if node.frame is not None else ():
            if view.root is not None and view.key not in visited:
                visited.add(view.key)
                if (path := self._path(view.key, view.root, key, visited)) is not None:
                    return [(frame, node), *path]
        return None

    def framed(self, node: Node) -> list[FrameView]:
        """The frames in place of an `iframe`: its frame or, if that is not shown, the shown frames inside it."""
        view = self.shown(node)
        if view is None:
            return []
        return [view] if view.root is not None else self._reachable(view.key)

    def _reachable(self, frame: str) -> list[FrameView]:
        found = []
        for view in self.inside(frame):
            found += [view] if view.root is not None else self._reachable(view.key)
        return found


_AS_BEFORE = ""
"""The role of a node that stands for a known node and all of its content."""


class SentTree(msgspec.Struct):
    """The agent's answer. `number` identifies the tree, `base` the one that it leaves parts out of; `behind` counts
    the elements with refs that are drawn but hidden by aria-hidden, inert or a modal dialog; `hidden` are the refs of
    elements that the document holds and the tree does not show; `left_out` counts drawn controls in what aria-hidden or
    inert leaves out."""

    root: Node
    number: int | None = None
    base: int | None = None
    behind: int = 0
    hidden: list[int] = []
    left_out: int = 0


@attrs.frozen
class KnownTree:
    """A tree of a frame's document. `number` identifies it if the agent keeps it too; `held_bytes` is an estimate;
    `behind`, `hidden` and `left_out` as in `SentTree`."""

    number: int | None
    root: Node
    held_bytes: int = 0
    behind: int = 0
    hidden: frozenset[int] = frozenset()
    left_out: int = 0


async def read_document(frame: Frame) -> KnownTree:
    """The tree of a frame's document."""
    known = _known(frame)
    args = {} if known is None else {"base": known.number}
    sent: SentTree = await frame.call("snapshot", args, into=SentTree)
    root = completed(sent, known)
    held_bytes = known.held_bytes if known is not None and known.root is root else root.held_bytes()
    read = KnownTree(sent.number, root, held_bytes, sent.behind, frozenset(sent.hidden), sent.left_out)
    frame.known_tree = None if sent.number is None else read
    return read


def _known(frame: Frame) -> KnownTree | None:
    return frame.known_tree if isinstance(frame.known_tree, KnownTree) else None


async def read_part(frame: Frame, number: int) -> KnownTree:
    """The tree of the element with this ref number."""
    sent: SentTree = await frame.call("snapshot", {"root": number}, into=SentTree)
    return KnownTree(None, sent.root, sent.root.held_bytes())


def completed(sent: SentTree, known: KnownTree | None) -> Node:
    """The tree with the parts that were left out, taken from `known`."""
    if sent.base is None:
        return sent.root
    assert known is not None  # noqa: S101  the agent was given its number
    if sent.root.role == _AS_BEFORE:
        return known.root
    nodes: dict[int, Node] = {}
    _index(known.root, nodes)
    return _completed(sent.root, nodes)


def _index(node: Node, into: dict[int, Node]) -> None:
    into[node.ref] = node
    for child in node.children:
        if not isinstance(child, str):
            _index(child, into)


def _completed(node: Node, known: dict[int, Node]) -> Node:
    if node.role == _AS_BEFORE:
        return known[node.ref]
    if not node.children:
        return node
    return node.with_children(
        tuple(child if isinstance(child, str) else _completed(child, known) for child in node.children)
    )
