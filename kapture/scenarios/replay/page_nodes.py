"""The nodes of a snapshot as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Node = Mapping[str, Any]


def nodes_of(snapshot: Mapping[str, Any]) -> list[Node]:
    """Every node in document order; none if the page shows nothing."""
    root = snapshot.get("tree")
    return list(_walk(root)) if isinstance(root, Mapping) else []


def name_of(node: Node) -> str:
    """Its name, or its text."""
    return str(node.get("name") or " ".join(_texts_of(node))[:200])


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.get("children", ()):
        if isinstance(child, Mapping):
            yield from _walk(child)


def _texts_of(node: Node) -> Iterator[str]:
    for child in node.get("children", ()):
        if isinstance(child, str):
            yield child
        else:
            yield from _texts_of(child)
