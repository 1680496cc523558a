"""A difference in words: what a person who looks at both pages would point at.

    ~ button "Save" [disabled] ref=e7         is different now
    + in list "To do" ref=e5:                 is new there
    +   listitem ref=e20: "Milk"
    - listitem "Eggs" ref=e6                  is gone
    ^ listitem "Bread" ref=e8                 has moved

Lines of the outline are compared, not raw facts: what the outline would not show is no change worth telling.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import attrs

from kapture.page.ref import Key
from kapture.snapshot.content import BARE, Content, Piece
from kapture.snapshot.node import Node
from kapture.snapshot.notation import plural, short, states_of
from kapture.snapshot.options import Options
from kapture.snapshot.outline import Outline
from kapture.snapshot.quoting import flat, quote
from kapture.snapshot.sink import Full, Line, TextSink
from kapture.snapshot.tree import Tree

_ALIKE = 12  # lines of one kind in one element, from which on the rest is counted
_FOCUS = re.compile(r" \[focused\]|(?<=\[)focused | focused(?=[\] ])")
_TEXT_CHARS = 300


def describe(old: Tree, new: Tree, *, root: Key | None, max_chars: int) -> str | None:
    """The changes, a line each; "" when there is nothing to tell, None when they do not fit in `max_chars`."""
    sink = TextSink(max_chars)
    try:
        _Describer(old, new, sink, max_chars).run(root)
    except Full:
        return None
    return "\n".join(sink.lines)


class _Describer:
    def __init__(self, old: Tree, new: Tree, sink: TextSink, max_chars: int) -> None:
        self.sink = sink
        options = Options(max_chars=max_chars)
        self.old = Outline(Content(old), sink, options, base_url=old.main.url)
        self.new = Outline(Content(new), sink, options, base_url=new.main.url)
        self._frames_changed = {
            key for key in old.frames.keys() | new.frames.keys() if key and old.frames.get(key) != new.frames.get(key)
        }

    @cached_property
    def _was(self) -> dict[Key, Node]:
        return {(frame, node.ref): node for frame, node in self.old.content.tree.walk()}

    @cached_property
    def _is(self) -> set[Key]:
        return {(frame, node.ref) for frame, node in self.new.content.tree.walk()}

    def run(self, root: Key | None) -> None:
        old, new = self.old.content.tree, self.new.content.tree
        if root is not None:
            before, path = self._was.get(root), new.path(root)
            if path and before is not None:
                self._element(Piece(root[0], before), Piece(*path[-1]))
            return
        if old.main.root is None or new.main.root is None:
            raise Full
        if (old.main.url, old.main.title) != (new.main.url, new.main.title):
            title = quote(flat(new.main.title), 100)
            self._line(
                f"~ page {title} {flat(new.main.url)[:160]}" if new.main.title else f"~ page {new.main.url[:160]}"
            )
        self._inside(Piece("", old.main.root), Piece("", new.main.root))

    def _element(self, old: Piece, new: Piece) -> None:
        """One element that is on both pages."""
        before, after = old.node, new.node
        assert before is not None  # noqa: S101  texts are compared by `_inside`
        assert after is not None  # noqa: S101
        if before == after and not self._frames_within(after):
            return
        one_before, one_after = self.old.wording.one_line(old), self.new.wording.one_line(new)
        if one_before is not None and one_after is not None:
            if _FOCUS.sub("", one_before) != one_after and one_before != one_after:
                self._line(f"~ {one_after or '(empty)'}{_was(before, after)}")
            return
        head_before, head_after = self.old.wording.head_line(old), self.new.wording.head_line(new)
        if head_before != head_after and _FOCUS.sub("", head_before) != head_after:
            self._line(f"~ {head_after}{_was(before, after)}")
        self._inside(old, new)

    def _inside(self, old: Piece, new: Piece) -> None:
        """What is in an element that is on both pages."""
        assert old.node is not None  # noqa: S101
        assert new.node is not None  # noqa: S101
        before = self.old.content.of(old.frame, old.node)
        after = self.new.content.of(new.frame, new.node)
        pairs = _pair(before, after)
        paired = {id(was) for was, _ in pairs if was is not None}
        gone = [piece for piece in before if id(piece) not in paired and not self._lives_on(piece)]
        moved = _out_of_order([(was, now) for was, now in pairs if was is not None], before)
        shown = 0
        fresh: list[Piece] = []
        rest: list[Piece] = []
        for was, now in pairs:
            if was is None and not self._came_from_elsewhere(now):
                fresh.append(now)
                continue
            self._added(new, fresh)
            start = len(self.sink.lines)
            if was is None or id(was) in moved:
                self._moved(now)
            if now.node is None and was is not None:
                if now.text != was.text:
                    self._line(f"~ {quote(now.text, _TEXT_CHARS)} (was {quote(was.text, 60)})")
            elif now.node is not None and shown < _ALIKE:
                known = was.node if was is not None else self._was[now.frame, now.node.ref]
                if known is not None:
                    self._element(Piece(now.frame, known), now)
            elif now.node is not None and was is not None and was.node != now.node:
                rest.append(now)
            shown += len(self.sink.lines) > start
        self._added(new, fresh)
        if rest:
            named = short(new.frame, new.node)
            self._line(f"~ … {len(rest):,} more changed in {named}")
        self._gone(gone)

    def _added(self, parent: Piece, fresh: list[Piece]) -> None:
        if not fresh:
            return
        assert parent.node is not None  # noqa: S101
        depth = 0
        where = self._where(parent)
        if where:
            self._line(f"+ in {where}:")
            depth = 1
        prefixed = _Prefixed(self.sink, "+ ")
        writer = Outline(self.new.content, prefixed, self.new.options, base_url=self.new.wording.base_url)
        writer.children(parent.frame, parent.node, depth, 0, list(fresh))
        fresh.clear()

    def _moved(self, piece: Piece) -> None:
        if piece.node is not None:
            self._line(f"^ {short(piece.frame, piece.node)}")

    def _gone(self, gone: list[Piece]) -> None:
        for at, piece in enumerate(gone):
            if at >= _ALIKE:
                rest = gone[at:]
                roles = {piece.node.role if piece.node is not None else "text" for piece in rest}
                self._line(f"- … {plural(roles.pop() if len(roles) == 1 else 'element', len(rest))} more")
                return
            if piece.node is None:
                self._line(f"- {quote(piece.text, _TEXT_CHARS)}")
                continue
            line = self.old.wording.one_line(piece)
            inside = sum(1 for _ in piece.node.nodes()) - 1
            count = f" with {inside:,} inside" if inside else ""
            self._line(f"- {line if line and len(line) <= _TEXT_CHARS else short(piece.frame, piece.node) + count}")

    def _where(self, parent: Piece) -> str:
        """The nearest element with a name or a position of its own; "" for the page."""
        path = self.new.content.tree.path((parent.frame, parent.node.ref)) if parent.node is not None else None
        for frame, node in reversed(path or []):
            if node.role != "document" and (node.name or node is parent.node) and node.role not in BARE:
                return short(frame, node)
        return ""

    def _lives_on(self, piece: Piece) -> bool:
        return piece.node is not None and (piece.frame, piece.node.ref) in self._is

    def _came_from_elsewhere(self, piece: Piece) -> bool:
        return piece.node is not None and (piece.frame, piece.node.ref) in self._was

    def _frames_within(self, node: Node) -> bool:
        return bool(self._frames_changed) and any(below.frame is not None for below in node.nodes())

    def _line(self, text: str) -> None:
        self.sink.add(Line(0, text))


class _Prefixed:
    """A sink that writes into another one, with a mark before each line."""

    def __init__(self, sink: TextSink, mark: str) -> None:
        self._sink = sink
        self._mark = mark

    @property
    def used(self) -> int:
        return self._sink.used

    @used.setter
    def used(self, value: int) -> None:
        self._sink.used = value

    def add(self, line: Line) -> None:
        self._sink.add(attrs.evolve(line, depth=0, text=f"{self._mark}{'  ' * line.depth}{line.text}"))


def _pair(before: Sequence[Piece], after: Sequence[Piece]) -> list[tuple[Piece | None, Piece]]:
    """For each piece of the new page the one of the old page that it is, or that it stands in the position of."""
    by_ref = {(p.frame, p.node.ref): at for at, p in enumerate(before) if p.node is not None}
    texts: dict[str, list[int]] = {}
    for at, piece in enumerate(before):
        if piece.node is None:
            texts.setdefault(piece.text, []).append(at)
    found: list[int | None] = []
    for piece in after:
        if piece.node is not None:
            found.append(by_ref.get((piece.frame, piece.node.ref)))
        else:
            places = texts.get(piece.text)
            found.append(places.pop(0) if places else None)
    taken = {at for at in found if at is not None}
    last = -1
    for at, known in enumerate(found):
        if known is not None:
            last = known
            continue
        node = after[at].node
        candidate = last + 1
        if candidate >= len(before) or candidate in taken:
            continue
        was = before[candidate].node
        # An element whose name changed has a new ref: it is still the one that stood in this position.
        if (node is None) == (was is None) and (node is None or was is None or was.role == node.role):
            found[at] = last = candidate
            taken.add(candidate)
    return [(None if at is None else before[at], piece) for at, piece in zip(found, after, strict=True)]


def _out_of_order(pairs: list[tuple[Piece, Piece]], before: Sequence[Piece]) -> set[int]:
    """The fewest pieces whose moving explains the new order (all but a longest increasing run of old places)."""
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


def _was(before: Node, after: Node) -> str:
    """What the new line does not tell of the old one."""
    if before.ref != after.ref:
        return f" (was {quote(flat(before.name), 60)})" if before.name else ""
    lost = [state for state in states_of(before) if state not in states_of(after) and state != "focused"]
    now = {state.partition("=")[0] for state in states_of(after)} | (
        {"expanded", "collapsed"} if after.states else set()
    )
    lost = [state for state in lost if state.partition("=")[0] not in now]
    return f" (was {' '.join(lost)})" if lost else ""
