"""The tree of a document as its agent sends it: see docs/ARCHITECTURE.md, "The agent in a page".

Parts that are the same as in the previous tree are left out, so that a long page with few changes costs little.
"""

from __future__ import annotations

import attrs
import msgspec

from kapture.page.documents.frame import Frame
from kapture.snapshot.node import Node

_AS_BEFORE = ""
"""The role of a node that stands for a known node and all of its content."""


class SentTree(msgspec.Struct):
    """The agent's answer. `number` identifies the tree, `base` the one that it leaves parts out of; `behind` counts
    the elements with refs that are drawn but hidden by aria-hidden, inert or a modal dialog; `hidden` are the refs of
    elements that the document holds and the tree does not show."""

    root: Node
    number: int | None = None
    base: int | None = None
    behind: int = 0
    hidden: list[int] = []


@attrs.frozen
class KnownTree:
    """A tree of a frame's document. `number` identifies it if the agent keeps it too; `held_bytes` is an estimate;
    `behind` and `hidden` as in `SentTree`."""

    number: int | None
    root: Node
    held_bytes: int = 0
    behind: int = 0
    hidden: frozenset[int] = frozenset()


async def read_document(frame: Frame) -> KnownTree:
    """The tree of a frame's document."""
    known = _known(frame)
    args = {} if known is None else {"base": known.number}
    sent: SentTree = await frame.call("snapshot", args, into=SentTree)
    root = completed(sent, known)
    held_bytes = known.held_bytes if known is not None and known.root is root else root.held_bytes()
    read = KnownTree(sent.number, root, held_bytes, sent.behind, frozenset(sent.hidden))
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
