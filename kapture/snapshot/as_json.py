"""A tree as JSON values: every element with its ref, nothing folded or summed up; only cut where it is long."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import attrs
import msgspec

from kapture.snapshot.content import acts
from kapture.snapshot.node import Node, ref_text
from kapture.snapshot.outline import MAX_DEPTH, Options, Place
from kapture.snapshot.tree import Tree

_TEXT_CHARS = 1_000
_ROOM = 800  # for what stands around the elements

Json = dict[str, Any]


@attrs.frozen(kw_only=True)
class JsonRendering:
    """`value` as JSON; `next` is where to go on (`start`), when it was cut."""

    value: Json
    next: Place | None = None


def as_json(tree: Tree, options: Options) -> JsonRendering:
    """`{url, title, tree}`; with `start` it is `{url, title, parts: [{in, children}]}`; `next` when it was cut."""
    value: Json = {"url": tree.main.url[:2_000], "title": tree.main.title[:200]}
    builder = _Builder(tree, options)
    if options.start is not None:
        value["parts"] = builder.parts(options.start)
    else:
        path = tree.path(options.root) if options.root is not None else None
        frame, root = path[-1] if path else ("", tree.main.root)
        value["tree"] = None if root is None else builder.node(frame, root, 0)
    if builder.next is not None:
        value["next"] = str(builder.next)
    return JsonRendering(value=value, next=builder.next)


class _Builder:
    def __init__(self, tree: Tree, options: Options) -> None:
        self.tree = tree
        self.options = options
        self.depth = MAX_DEPTH if options.depth is None else min(options.depth, MAX_DEPTH)
        self.left = max(0, options.max_chars - _ROOM)
        self.next: Place | None = None
        self._empty = True

    def parts(self, start: Place) -> list[Json]:
        """What comes from `start` on, grouped by the element it is in, the innermost first."""
        path = self.tree.path(start.key) or []
        parts: list[Json] = []
        if path:
            parts.append({"children": [self.node(*path[-1], 0)]})
            if len(path) > 1:
                parts[0]["in"] = ref_text(path[-2][0], path[-2][1].ref)
        for (frame, node), (below_frame, below) in zip(path[-2::-1], path[:0:-1], strict=False):
            if self.next is not None or self.options.root == (below_frame, below.ref):
                break
            rest: list[Any] = []
            seen = False
            for child_frame, child in self._children(frame, node):
                if seen:
                    self._child(child_frame, child, 0, rest)
                seen = seen or child is below
            if rest and node is path[-2][1]:
                parts[0]["children"] += rest
            elif rest:
                parts.append({"in": ref_text(frame, node.ref), "children": rest})
        return parts

    def node(self, frame: str, node: Node, depth: int) -> Json:
        """One element with as much of what is in it as fits."""
        own = self._own(frame, node)
        self.left -= _size(own)
        self._empty = False
        children: list[Any] = []
        if depth >= self.depth:
            count = sum(1 for _ in node.nodes()) - 1
            if count:
                own["more"] = count
            return own
        for child_frame, child in self._children(frame, node):
            self._child(child_frame, child, depth + 1, children)
            if self.next is not None:
                break
        if children:
            own["children"] = children
        return own

    def _own(self, frame: str, node: Node) -> Json:
        own: Json = {key: _cut(value) for key, value in msgspec.to_builtins(node.own()).items()}
        own["ref"] = ref_text(frame, node.ref)
        if node.states:
            own["states"] = {_cut(name): _cut(value) for name, value in node.states.items()}
        if node.frame is not None:
            view = self.tree.shown(node)
            own["frame"] = (view.problem if view is not None else "not loaded") or node.frame
        return own

    def _child(self, frame: str, child: Node | str, depth: int, into: list[Any]) -> None:
        if self.next is not None:
            return
        if isinstance(child, str):
            if not self.options.interactive_only:
                text = _cut(child)
                self.left -= _size(text)
                into.append(text)
        elif self._wanted(child):
            if _size(self._own(frame, child)) > self.left and not self._empty:
                self.next = Place((frame, child.ref))
            else:
                into.append(self.node(frame, child, depth))

    def _children(self, frame: str, node: Node) -> Iterator[tuple[str, Node | str]]:
        for child in node.children:
            yield frame, child
        if node.frame is not None:
            for view in self.tree.framed(node):
                if view.root is not None:
                    yield view.key, view.root

    def _wanted(self, node: Node) -> bool:
        if self.options.interactive_only and not any(acts(below) or below.frame is not None for below in node.nodes()):
            return False
        return not (self.options.viewport_only and all(below.offscreen for below in node.nodes()))


def _cut(value: Any) -> Any:
    """Texts without halves of characters, and not endless."""
    if not isinstance(value, str):
        return value
    whole = value.encode("utf-8", "replace").decode()
    return whole if len(whole) <= _TEXT_CHARS else whole[:_TEXT_CHARS] + "…"


def _size(value: Any) -> int:
    """Characters that a value takes, and the signs around it."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) + 16
