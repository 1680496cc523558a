"""The exact difference between two trees, element by element.

`compare(old, new).apply(old) == new` for any two trees. Elements are identified by their refs, which an element keeps
for as long as its role and name stay the same; an element that moved keeps its ref, and only the content of its old and
new parents differs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import attrs

from kapture.page.documents.frame import ref_text
from kapture.snapshot.node import Node
from kapture.snapshot.tree import FrameView, Tree

Contents: TypeAlias = tuple[int | str, ...]


@attrs.frozen
class Edit:
    """One element that is new or changed. None: unchanged."""

    own: Node | None = None  # without children
    contents: Contents | None = None


@attrs.frozen
class FrameDiff:
    """One frame that is new or changed. `view` holds everything of it but its elements."""

    view: FrameView
    root: int | None
    edits: dict[int, Edit]
    removed: frozenset[int]


@attrs.frozen
class Diff:
    """The difference between two trees of a page."""

    changed: dict[str, FrameDiff]
    gone: frozenset[str]  # keys of frames

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)

    def apply(self, old: Tree) -> Tree:
        """The new tree, from the old one."""
        frames = {key: view for key, view in old.frames.items() if key not in self.gone and key not in self.changed}
        for key, change in self.changed.items():
            before = old.frames.get(key)
            nodes = {} if before is None or before.root is None else {node.ref: node for node in before.root.nodes()}
            root = None if change.root is None else _rebuild(change, nodes)
            frames[key] = attrs.evolve(change.view, root=root)
        return Tree(frames)

    def as_json(self) -> dict[str, Any]:
        """For programs: every new or changed element with its own facts and the refs of its content."""
        changed = {}
        removed = []
        for key, change in self.changed.items():
            for ref, edit in change.edits.items():
                facts: dict[str, Any] = {}
                if edit.own is not None:
                    facts = edit.own.facts()
                if edit.contents is not None:
                    facts["contents"] = [
                        {"ref": ref_text(key, item)} if isinstance(item, int) else item for item in edit.contents
                    ]
                changed[ref_text(key, ref)] = facts
            removed += [ref_text(key, ref) for ref in sorted(change.removed)]
        return {"changed": changed, "removed": removed, "goneFrames": sorted(self.gone)}


def compare(old: Tree, new: Tree) -> Diff:
    """The difference between `old` and `new`. No frame may use a ref for two elements."""
    changed = {}
    for key, view in new.frames.items():
        before = old.frames.get(key)
        if before != view:
            changed[key] = _compare_frames(before, view)
    return Diff(changed, frozenset(old.frames.keys() - new.frames.keys()))


def _compare_frames(old: FrameView | None, new: FrameView) -> FrameDiff:
    view = attrs.evolve(new, root=None)
    before = old.root if old is not None else None
    if new.root is None:
        removed = frozenset() if before is None else frozenset(node.ref for node in before.nodes())
        return FrameDiff(view, None, {}, removed)
    if before is None:
        return FrameDiff(view, new.root.ref, {node.ref: _whole(node) for node in new.root.nodes()}, frozenset())
    if before.ref == new.root.ref:
        edits, left, come = _pairwise(before, new.root)
    else:
        edits, left, come = {}, [before], [new.root]
    left_nodes = {node.ref: node for root in left for node in root.nodes()}
    for root in come:
        for node in root.nodes():
            known = left_nodes.pop(node.ref, None)
            edit = _whole(node) if known is None else _edit(known, node)
            if edit is not None:
                edits[node.ref] = edit
    return FrameDiff(view, new.root.ref, edits, frozenset(left_nodes))


def _pairwise(old: Node, new: Node) -> tuple[dict[int, Edit], list[Node], list[Node]]:
    """Walk both trees together: the edits, and elements that left their parents or were added to them."""
    edits: dict[int, Edit] = {}
    left: list[Node] = []
    come: list[Node] = []
    pairs = [(old, new)]
    while pairs:
        before, after = pairs.pop()
        if before == after:
            continue
        edit = _edit(before, after)
        if edit is not None:
            edits[after.ref] = edit
        were = {child.ref: child for child in before.children if not isinstance(child, str)}
        for child in after.children:
            if isinstance(child, str):
                continue
            same = were.pop(child.ref, None)
            if same is None:
                come.append(child)
            else:
                pairs.append((same, child))
        left += were.values()
    return edits, left, come


def _edit(old: Node, new: Node) -> Edit | None:
    own = new.own()
    contents = _contents(new)
    edit = Edit(None if own == old.own() else own, None if contents == _contents(old) else contents)
    return None if edit.own is None and edit.contents is None else edit


def _whole(node: Node) -> Edit:
    return Edit(node.own(), _contents(node))


def _contents(node: Node) -> Contents:
    return tuple(child if isinstance(child, str) else child.ref for child in node.children)


def _rebuild(change: FrameDiff, nodes: dict[int, Node]) -> Node:
    """Rebuild a frame's tree, children before parents."""
    assert change.root is not None  # noqa: S101  the caller has looked

    def contents(ref: int) -> Contents:
        edit = change.edits.get(ref)
        return edit.contents if edit is not None and edit.contents is not None else _contents(nodes[ref])

    order: list[int] = []
    stack = [change.root]
    while stack:
        ref = stack.pop()
        order.append(ref)
        stack += _refs(contents(ref))
    built: dict[int, Node] = {}
    for ref in reversed(order):
        edit = change.edits.get(ref)
        own = edit.own if edit is not None and edit.own is not None else nodes[ref].own()
        children = tuple(item if isinstance(item, str) else built[item] for item in contents(ref))
        built[ref] = own.with_children(children)
    return built[change.root]


def _refs(contents: Iterable[int | str]) -> list[int]:
    return [item for item in contents if isinstance(item, int)]
