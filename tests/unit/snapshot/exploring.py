"""Following the hints of an outline, as a model could."""

from __future__ import annotations

import re

from kapture.page.documents.frame import Key, parse_ref
from kapture.snapshot.content import Content, bears_ref
from kapture.snapshot.node import Node
from kapture.snapshot.options import Options, Position
from kapture.snapshot.render import outline
from kapture.snapshot.tree import Tree

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"…?')


REF = re.compile(r"(?<![\w=])ref=((?:f\d+)?e\d+)")


def bare(text: str) -> str:
    """The outline without the words of the page."""
    return QUOTED.sub("Q", text)


def shown_in_full(tree: Tree) -> set[Key]:
    """Elements that must be reachable by a ref of their own: what can be acted on, opened or looked into by itself."""
    content = Content(tree)
    root = tree.main.root
    assert root is not None
    found: set[Key] = set()
    stack: list[tuple[str, Node]] = [("", root)]
    while stack:
        frame, node = stack.pop()
        for piece in content.of(frame, node):
            if piece.node is None:
                continue
            inner = piece.node
            if bears_ref(inner):
                found.add((piece.frame, inner.ref))
            if inner.role != "combobox":
                stack.append((piece.frame, inner))
    return found


def explore(tree: Tree, max_chars: int, most: int, shown: list[str] | None = None) -> set[Key]:
    """Follow every hint, as a model could, and collect the refs that show up; what was `shown` on the way."""
    seen: set[Key] = set()
    done: set[str] = set()
    todo = [Options(max_chars=max_chars)]
    while todo:
        options = todo.pop()
        label = f"{options.root} {options.start}"
        if label in done:
            continue
        done.add(label)
        assert len(done) < most, "following the hints does not come to an end"
        whole = outline(tree, options).text
        if shown is not None:
            shown.append(whole)
        text = bare(whole)
        for line in text.splitlines():
            for ref in REF.findall(line):
                key = parse_ref(ref)
                assert key is not None
                seen.add(key)
            if "…" not in line:
                continue
            for ref in REF.findall(line):
                todo.append(Options(root=parse_ref(ref), max_chars=max_chars))
            for start in re.findall(r"start=((?:f\d+)?e\d+)(:\d+)?", line):
                key = parse_ref(start[0])
                assert key is not None
                place = Position(key, int(start[1][1:]) if start[1] else None)
                todo.append(Options(start=place, root=options.root, max_chars=max_chars))
    return seen
