"""A tree as JSON values: every element with its ref, nothing folded or summarized; only truncated if it is long."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import attrs

from kapture.page.documents.frame import ref_text
from kapture.snapshot.content import acts
from kapture.snapshot.node import Node
from kapture.snapshot.notation import hint_text
from kapture.snapshot.options import MAX_DEPTH, Options, Position
from kapture.snapshot.tree import Tree

_PART = 40  # characters for the wrapper of one of several parts
_ROOM = 800  # characters for the wrapper of all elements

Json = dict[str, Any]


@attrs.frozen(kw_only=True)
class JsonRendering:
    """`value` as JSON; `next` is where to continue (`start`), if it was truncated."""

    value: Json
    next: Position | None = None


def as_json(tree: Tree, options: Options) -> JsonRendering:
    """`{url, title, tree}`; with `start`, `{url, title, parts: [{in, children}]}`; `next` if it was truncated."""
    value: Json = {"url": _cut(tree.main.url, 300), "title": _cut(tree.main.title, 100)}
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
        self.text_chars = min(1_000, max(50, options.max_chars // 8))
        self.next: Position | None = None
        self._empty = True

    def parts(self, start: Position) -> list[Json]:
        """Everything from `start` on, grouped by parent element, innermost first."""
        path = self.tree.path(start.key) or []
        parts: list[Json] = []
        if start.item is not None and path:
            self._part(parts, *path[-1], list(self._children(*path[-1]))[start.item :], start.item)
        for at in range(len(path) - 1, 0, -1):
            frame, node = path[at - 1]
            if self.next is not None or self.options.root == (path[at][0], path[at][1].ref):
                break
            children = list(self._children(frame, node))
            position = next((i for i, (_, child) in enumerate(children) if child is path[at][1]), len(children))
            first = position if at == len(path) - 1 and start.item is None else position + 1
            self._part(parts, frame, node, children[first:], first)
        return parts

    def _part(
        self, parts: list[Json], frame: str, node: Node, children: list[tuple[str, Node | str]], first: int = 0
    ) -> None:
        content: list[Any] = []
        self.left -= _PART
        self._all(frame, node, children, first, 0, content)
        if content:
            parts.append({"in": ref_text(frame, node.ref), "children": content})

    def _all(
        self, frame: str, node: Node, children: list[tuple[str, Node | str]], first: int, depth: int, into: list[Any]
    ) -> None:
        """Add children, beginning with `first`, as many as fit."""
        for at, (child_frame, child) in enumerate(children, first):
            if isinstance(child, str):
                if self.options.interactive_only:
                    continue
                text = _cut(child, self.text_chars)
                if self._fits(text, Position((frame, node.ref), at)):
                    into.append(text)
            elif self._wanted(child) and self._fits(self._own(child_frame, child), Position((child_frame, child.ref))):
                into.append(self.node(child_frame, child, depth))
            if self.next is not None:
                return

    def _fits(self, text: Any, position: Position) -> bool:
        size = _size(text)
        if size > self.left and not self._empty:
            self.next = position
            return False
        if isinstance(text, str):
            self.left -= size
            self._empty = False
        return True

    def node(self, frame: str, node: Node, depth: int) -> Json:
        """One element with as many of its descendants as fit."""
        own = self._own(frame, node)
        self.left -= _size(own)
        self._empty = False
        children: list[Any] = []
        if depth >= self.depth:
            count = sum(1 for _ in node.nodes()) - 1
            if count:
                own["more"] = count
            return own
        self._all(frame, node, list(self._children(frame, node)), 0, depth + 1, children)
        if children:
            own["children"] = children
        return own

    def _own(self, frame: str, node: Node) -> Json:
        own: Json = {"role": "", "ref": ref_text(frame, node.ref)}
        own |= {key: _cut(value, self.text_chars) for key, value in node.facts().items()}
        if node.hint is not None:
            own["hint"] = hint_text(node)
        if node.states:
            own["states"] = {_cut(name, 40): _cut(value, 40) for name, value in node.states.items()}
        if node.frame is not None:
            view = self.tree.shown(node)
            own["frame"] = (view.problem if view is not None else "not loaded") or node.frame
            if view is not None and view.origin:
                own["origin"] = view.origin
        return own

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


def _cut(value: Any, limit: int) -> Any:
    """Truncate texts, without splitting characters."""
    if not isinstance(value, str):
        return value
    whole = value.encode("utf-8", "replace").decode()
    return whole if len(whole) <= limit else whole[:limit] + "…"


def _size(value: Any) -> int:
    """The number of characters of a value as JSON, with its punctuation."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) + 16
