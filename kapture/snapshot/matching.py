"""Matches the content of an element on the old page to that on the new page."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence, Set
from itertools import pairwise

from kapture.page.documents.frame import Key
from kapture.snapshot.content import Piece, acts, text_of
from kapture.snapshot.node import Node


def match(
    before: Sequence[Piece], after: Sequence[Piece], hidden: Set[Key] = frozenset()
) -> list[tuple[Piece | None, Piece]]:
    """For each item of the new page the item of the old page that it is, or that it replaces.

    `hidden`: elements that the page has hidden. What is shown now is another element, though it may look alike: the
    field of the next step. What holds both has other contents now.
    """
    by_ref = {(p.frame, p.node.ref): at for at, p in enumerate(before) if p.node is not None}
    texts: dict[str, list[int]] = {}
    for at, piece in enumerate(before):
        if piece.node is None:
            texts.setdefault(piece.text, []).append(at)
    found: list[int | None] = []
    last = -1
    for piece in after:
        if piece.node is not None:
            found.append(by_ref.get((piece.frame, piece.node.ref)))
        else:
            # Of equal texts the next one, so that only the one that changed is another.
            found.append(_next(texts.get(piece.text, []), last))
        if found[-1] is not None:
            last = found[-1]
    taken = {at for at in found if at is not None}
    taken |= {at for at, piece in enumerate(before) if (piece.frame, _known_by(piece)) in hidden}
    _match_equal(before, after, found, taken)
    taken |= {at for at in found if at is not None}
    last = -1
    for at, known in enumerate(found):
        if known is not None:
            last = known
            continue
        candidate = last + 1
        if candidate >= len(before) or candidate in taken:
            continue
        if _stands_in_for(before[candidate].node, after[at].node):
            found[at] = last = candidate
            taken.add(candidate)
    return [(None if at is None else before[at], piece) for at, piece in zip(found, after, strict=True)]


def _known_by(piece: Piece) -> int | None:
    """The ref of an element that is not told by its content alone, as an unnamed form is."""
    node = piece.node
    return None if node is None or (node.children and not node.name and not acts(node)) else node.ref


def _next(places: list[int], last: int) -> int | None:
    """Take the first of these places after the last one, or else the first of all."""
    return places.pop(bisect_left(places, last) % len(places)) if places else None


def _match_equal(before: Sequence[Piece], after: Sequence[Piece], found: list[int | None], taken: Set[int]) -> None:
    """Pair elements that were made anew with the old ones that said the same: of a list that is built again without
    one item, that item is gone and not the last one."""
    equal: dict[tuple[str, str, str, str], list[int]] = {}
    for at, piece in enumerate(before):
        if at not in taken and piece.node is not None and (text := text_of(piece.node)):
            equal.setdefault((piece.frame, piece.node.role, piece.node.name, text), []).append(at)
    last = -1
    for at, piece in enumerate(after):
        if found[at] is None and piece.node is not None:
            key = (piece.frame, piece.node.role, piece.node.name, text_of(piece.node))
            found[at] = _next(equal.get(key, []), last)
        last = last if (place := found[at]) is None else place


def _stands_in_for(was: Node | None, node: Node | None) -> bool:
    """Whether an element that replaced another is the same one changed; its ref is new if its name is.

    An element with another name and other content is a different one: a tab panel that replaced the last one.
    """
    if node is None or was is None:
        return node is was
    if was.role != node.role:
        return False
    holds = any(not isinstance(child, str) for child in (*was.children, *node.children))
    return was.name == node.name or not holds


def out_of_order(pairs: list[tuple[Piece, Piece]], before: Sequence[Piece]) -> set[int]:
    """The smallest set of items whose moving explains the new order (all but a longest increasing subsequence)."""
    position = {id(piece): at for at, piece in enumerate(before)}
    order = [position[id(was)] for was, _ in pairs]
    if all(a < b for a, b in pairwise(order)):
        return set()
    tails: list[int] = []
    ends: list[int] = []
    back: list[int] = []
    for at, value in enumerate(order):
        slot = bisect_left(tails, value)
        back.append(ends[slot - 1] if slot else -1)
        if slot == len(tails):
            tails.append(value)
            ends.append(at)
        else:
            tails[slot] = value
            ends[slot] = at
    kept: set[int] = set()
    at = ends[-1]
    while at >= 0:
        kept.add(at)
        at = back[at]
    return {id(pairs[at][0]) for at in range(len(pairs)) if at not in kept}
