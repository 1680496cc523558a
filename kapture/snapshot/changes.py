"""A difference in words: the changes that a person comparing both pages would name.

    ~ button "Save" [disabled] ref=e7         has changed
        ~ main ref=e4 is now:                     has changed so much that all of it is shown
        + in list "To do":                        is new there
        +   "Milk"
        - in list "To do": "Eggs", "Bread"        was removed
        ^ "Bread"                                 has moved

Lines of the outline are compared, not raw facts: what the outline does not show is not a change worth a line.
"""

from __future__ import annotations

import re
from functools import cached_property

from kapture.page.documents.frame import Key
from kapture.snapshot.content import Content, Piece, bears_ref, text_of
from kapture.snapshot.matching import match, out_of_order
from kapture.snapshot.node import Node
from kapture.snapshot.notation import named, plural, short
from kapture.snapshot.options import Options
from kapture.snapshot.outline import Outline
from kapture.snapshot.own_changes import facts_gone, is_renewed, with_the_same_surroundings
from kapture.snapshot.quoting import flat, quote
from kapture.snapshot.roles import BARE
from kapture.snapshot.sink import Full, Line, Mark, Prefixed, TextSink
from kapture.snapshot.tree import Tree

_ALIKE = 12  # lines of one kind in one element; further ones are only counted
_FOCUS = re.compile(r" \[focused\]|(?<=\[)focused | focused(?=[\] ])")
_TEXT_CHARS = 300
_BRIEF_CHARS = 60
_ANEW_CHARS = 600
_MOVES = 4  # more moves within one element are one line
_GONE_CHARS = 240
_SURELY_SHORT = 200  # characters; shorter changes are not compared with the size of the whole element
_FRESH_TIMES = 3  # how much longer than its changes an element may be that has other contents now


def describe(old: Tree, new: Tree, *, root: Key | None, max_chars: int, cover: Key | None = None) -> str | None:
    """The changes, one line each; "" if there are none, None if they do not fit in `max_chars`.

    `cover`: the dialog that now covers the rest of the page. Elements hidden by it do not count as removed.
    """
    sink = TextSink(max_chars)
    try:
        _Describer(old, new, sink, max_chars, cover).run(root)
    except Full:
        return None
    return "\n".join(sink.lines)


class _Describer:
    def __init__(self, old: Tree, new: Tree, sink: TextSink, max_chars: int, cover: Key | None) -> None:
        self.sink = sink
        self.cover = cover
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
    def _shown_before(self) -> set[Key]:
        return self.old.content.shown()

    @cached_property
    def _shown_now(self) -> set[Key]:
        return self.new.content.shown()

    @cached_property
    def _hidden(self) -> set[Key]:
        return self.new.content.tree.hidden()

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
        if self.cover is not None:
            path = new.path(self.cover) or []
            self._line(f"(behind {short(*path[-1])}: the rest of the page, as it was)" if path else "")

    def _element(self, old: Piece, new: Piece) -> None:
        """Changes of one element that is on both pages."""
        before, after = old.node, new.node
        assert before is not None  # noqa: S101  texts are compared by `_inside`
        assert after is not None  # noqa: S101
        if before == after and not self._frames_within(after):
            return
        before = with_the_same_surroundings(before, after)
        old = Piece(old.frame, before)
        one_before, one_after = self.old.wording.one_line(old), self.new.wording.one_line(new)
        if one_before is not None and one_after is not None:
            if _FOCUS.sub("", one_before) != one_after and one_before != one_after:
                self._line(f"~ {one_after or '(empty)'}{facts_gone(before, after) or self._text_was(old, new)}")
            return
        mark = self.sink.mark()
        head_before, head_after = self.old.wording.head_line(old), self.new.wording.head_line(new)
        if head_before != head_after and _FOCUS.sub("", head_before) != head_after:
            self._line(f"~ {head_after}{facts_gone(before, after)}")
        is_refilled = self._inside(old, new)
        if bears_ref(after) and self.cover is None:
            self._whole_if_shorter(new, mark, times=_FRESH_TIMES if is_refilled else 1)

    def _text_was(self, old: Piece, new: Piece) -> str:
        """The old text of an element that contains nothing but text."""
        assert old.node is not None  # noqa: S101
        assert new.node is not None  # noqa: S101
        pieces = [*self.old.content.of(old.frame, old.node), *self.new.content.of(new.frame, new.node)]
        was = flat(text_of(old.node))
        if not was or was == flat(text_of(new.node)) or any(piece.node is not None for piece in pieces):
            return ""
        return f" (was {quote(was, _BRIEF_CHARS)})"

    def _whole_if_shorter(self, piece: Piece, mark: Mark, times: int) -> None:
        """Show an element as it is now instead of its changes, if that is shorter than these, so many times."""
        changes = self.sink.used - mark.used
        node = piece.node
        if changes <= _SURELY_SHORT or node is None:
            return
        whole = TextSink(changes * times)
        try:
            whole.add(Line(0, f"~ {self.new.wording.head_line(piece)} is now:"))
            writer = Outline(self.new.content, whole, self.new.options, base_url=self.new.wording.base_url)
            writer.children(piece.frame, node, 2, 0, self.new.content.of(piece.frame, node))
        except Full:
            return
        self.sink.back_to(mark)
        for line in whole.lines:
            self._line(line)

    def _inside(self, old: Piece, new: Piece) -> bool:
        """Changes inside an element that is on both pages. Returns whether these are not all of them, because most of
        what it holds is other than before, as in a list that is scrolled and keeps only what is near on the page."""
        assert old.node is not None  # noqa: S101
        assert new.node is not None  # noqa: S101
        before = self.old.content.of(old.frame, old.node)
        after = self.new.content.of(new.frame, new.node)
        pairs = match(before, after, self._hidden)
        paired = {id(was) for was, _ in pairs if was is not None}
        gone = [piece for piece in before if id(piece) not in paired and not self._lives_on(piece)]
        moved = out_of_order([(was, now) for was, now in pairs if was is not None], before)
        renewed = _renewed(pairs)
        left_out = {id(piece) for piece in renewed}
        shown = 0
        fresh: list[Piece] = []
        rest: list[Piece] = []
        for was, now in pairs:
            if was is None and not self._came_from_elsewhere(now):
                fresh.append(now)
                continue
            self._added(new, fresh)
            start = len(self.sink.lines)
            if was is None or (id(was) in moved and len(moved) <= _MOVES):
                self._line(f"^ {self._brief(now, self.new)}")
            if now.node is None and was is not None:
                if now.text != was.text:
                    self._line(f"~ {quote(now.text, _TEXT_CHARS)} (was {quote(was.text, _BRIEF_CHARS)})")
            elif id(now) in left_out:
                continue
            elif now.node is not None and shown < _ALIKE:
                known = was.node if was is not None else self._was[now.frame, now.node.ref]
                if known is not None:
                    self._element(Piece(now.frame, known), now)
            elif now.node is not None and was is not None and was.node != now.node:
                rest.append(now)
            shown += len(self.sink.lines) > start
        self._added(new, fresh)
        if len(moved) > _MOVES:
            self._reordered(new, [(was, now) for was, now in pairs if was is not None], moved)
        if rest:
            self._line(f"~ … {len(rest):,} more changed in {short(new.frame, new.node)}")
        if renewed:
            self._anew(new, renewed)
        self._gone(new, gone)
        stayed = sum(was is not None and (was.node is None or was.node.ref == _ref_of(now)) for was, now in pairs)
        return bool(rest or renewed) and (stayed + len(renewed)) * 2 < len(after)

    def _anew(self, parent: Piece, renewed: list[Piece]) -> None:
        """Return the new refs of content that was rendered anew unchanged, if they are few."""
        assert parent.node is not None  # noqa: S101
        where = self._where(parent)
        listed = TextSink(_ANEW_CHARS)
        try:
            writer = Outline(self.new.content, listed, self.new.options, base_url=self.new.wording.base_url)
            writer.children(parent.frame, parent.node, 1, 0, renewed)
        except Full:
            self._line(f"~ … {len(renewed):,} more are as before but for their refs{f', in {where}' if where else ''}")
            return
        self._line(f"~ as before but for their refs{f', in {where}' if where else ''}:")
        for line in listed.lines:
            self._line(f"~ {line}")

    def _reordered(self, parent: Piece, pairs: list[tuple[Piece, Piece]], moved: set[int]) -> None:
        """Items that were reordered, in one line, with the first of their kind."""
        roles = {now.node.role for was, now in pairs if id(was) in moved and now.node is not None}
        now = [now for _, now in pairs if now.node and now.node.role in roles and not self.new.wording.is_header(now)]
        what = plural(roles.pop() if len(roles) == 1 else "element", len(moved))
        first = ", ".join(self._brief(piece, self.new) for piece in now[:_MOVES])
        where = self._where(parent)
        self._line(f"^ {what}{f' in {where}' if where else ''} moved; now first: {first}, …")

    def _added(self, parent: Piece, fresh: list[Piece]) -> None:
        if not fresh:
            return
        assert parent.node is not None  # noqa: S101
        depth = 0
        where = self._where(parent)
        if where:
            self._line(f"+ in {where}:")
            depth = 1
        prefixed = Prefixed(self.sink, "+ ")
        writer = Outline(self.new.content, prefixed, self.new.options, base_url=self.new.wording.base_url)
        writer.children(parent.frame, parent.node, depth, 0, list(fresh))
        fresh.clear()

    def _gone(self, parent: Piece, gone: list[Piece]) -> None:
        """Describe in one line the content removed from an element."""
        if self.cover is not None:
            return
        briefs = [brief for piece in gone if (brief := self._brief(piece, self.old))]
        if not briefs:
            return
        shown = 0
        while shown < min(len(briefs), _ALIKE) and sum(map(len, briefs[: shown + 1])) <= _GONE_CHARS:
            shown += 1
        shown = max(shown, 1)
        words = briefs[:shown]
        if rest := gone[shown:]:
            roles = {piece.node.role if piece.node is not None else "text" for piece in rest}
            words.append(
                f"… {plural(roles.pop() if len(roles) == 1 else 'element', len(rest)).replace(' ', ' more ', 1)}"
            )
        where = self._where(parent, ref=False)
        self._line(f"- {f'in {where}: ' if where else ''}{', '.join(words)}")

    def _brief(self, piece: Piece, side: Outline) -> str:
        """The shortest text that identifies something: its text, or its role and name."""
        if piece.node is None:
            return quote(piece.text, _BRIEF_CHARS)
        line = side.wording.one_line(piece)
        if line is not None and not bears_ref(piece.node) and len(line) <= _BRIEF_CHARS and "ref=" not in line:
            return line
        name = named(piece.node)
        text = "" if piece.node.name else flat(text_of(piece.node))
        return f"{name} {quote(text, _BRIEF_CHARS)}" if text else name

    def _where(self, parent: Piece, *, ref: bool = True) -> str:
        """The nearest ancestor with a name or with an identifying role; "" for the page."""
        path = self.new.content.tree.path((parent.frame, parent.node.ref)) if parent.node is not None else None
        for frame, node in reversed(path or []):
            if node.role != "document" and (node.name or node is parent.node) and node.role not in BARE:
                return short(frame, node) if ref and bears_ref(node) else named(node)
        return ""

    def _lives_on(self, piece: Piece) -> bool:
        return piece.node is not None and (piece.frame, piece.node.ref) in self._shown_now

    def _came_from_elsewhere(self, piece: Piece) -> bool:
        return piece.node is not None and (piece.frame, piece.node.ref) in self._shown_before

    def _frames_within(self, node: Node) -> bool:
        return bool(self._frames_changed) and any(below.frame is not None for below in node.nodes())

    def _line(self, text: str) -> None:
        self.sink.add(Line(0, text))


def _ref_of(piece: Piece) -> int | None:
    return None if piece.node is None else piece.node.ref


def _renewed(pairs: list[tuple[Piece | None, Piece]]) -> list[Piece]:
    """Return the elements that differ only in refs, which come last when not all changes are shown."""
    changed = [(was, now) for was, now in pairs if was is not None and was.node != now.node]
    if len(changed) <= _ALIKE:
        return []
    return [now for was, now in changed if was.node and now.node and is_renewed(was.node, now.node)]
