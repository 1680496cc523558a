"""The path from the top of a page down to the position where a snapshot continues."""

from __future__ import annotations

from collections.abc import Sequence

from kapture.page.documents.frame import Key
from kapture.snapshot.content import Content, Piece
from kapture.snapshot.node import Node
from kapture.snapshot.options import Position


def levels_to(content: Content, start: Position) -> list[tuple[str, Node, list[Piece], int]]:
    """From the top down to the position: each element on the path, its content, and which item of that is on the
    path."""
    path = content.tree.path(start.key)
    if not path:
        return []
    levels: list[tuple[str, Node, list[Piece], int]] = []
    frame, node = path[0]
    below = {(frame, node.ref): position for position, (frame, node) in enumerate(path)}
    while (frame, node.ref) != start.key:
        pieces = content.of(frame, node)
        here = below[frame, node.ref]
        at = _on_the_way(pieces, {key for key, position in below.items() if position > here})
        if at is None:
            break
        levels.append((frame, node, pieces, at))
        found = pieces[at].node
        if found is None:
            break
        frame, node = pieces[at].frame, found
    if start.item is not None:
        pieces = content.of(frame, node)
        levels.append((frame, node, pieces, min(start.item, len(pieces))))
    return levels or [(frame, node, content.of(frame, node), 0)]


def _on_the_way(pieces: Sequence[Piece], below: set[Key]) -> int | None:
    """Which item leads to one of these elements; an element is preferred to a text, which may only be next to it."""
    for at, piece in enumerate(pieces):
        if piece.node is not None and (piece.frame, piece.source) in below:
            return at
    for at, piece in enumerate(pieces):
        if piece.node is None and (piece.frame, piece.source) in below:
            return at
    return None
