"""Renders a tree as lines: what fits on one line, what is summarized, and where a long page is cut.

What is left out can be shown in one of three ways:

- `… 480 more rows, ref=e40`: of a long run of similar elements the first are shown; `root` e40 shows all.
- `… off screen: 14 links, start=e90`: on a long page, off-screen elements are counted; `start` e90 shows them.
- `… cut at 20,000 characters: continue with start=e640`: the limit was reached; `start` e640 continues from there.
"""

from __future__ import annotations

import re

import msgspec

from kapture.page.documents.frame import Key, ref_text
from kapture.snapshot.content import Content, Piece, acts, is_plain
from kapture.snapshot.node import Node
from kapture.snapshot.notation import head, plural, short
from kapture.snapshot.options import MAX_DEPTH, Options, Position
from kapture.snapshot.quoting import quote
from kapture.snapshot.roles import BARE
from kapture.snapshot.sink import Full, Line, Sink
from kapture.snapshot.start import levels_to
from kapture.snapshot.summary import LANDMARKS, OffScreen, count, identifies_contents, run_length
from kapture.snapshot.wording import Wording

SHORT_PAGE_CHARS = 6_000
"""Characters; a page with a shorter outline is shown completely, including what is off screen."""

_RUN_LENGTH = 12  # similar siblings from which on a run may be cut short
_RUN_SHOWN = 20
_RUN_CHARS = 2_000
_RUN_LEAST = 2
_CELLS_SHOWN = 42  # the days of a month with those around it
_CELL_CHARS = 40
_STATES = re.compile(r" \[[^\]\[]*\]")
_CELLS = {"button", "generic", "gridcell", "option"}
_FOLDS = 10  # per element, between headings and landmarks that are shown


class Outline:
    """Writes parts of one tree into one sink."""

    def __init__(
        self, content: Content, sink: Sink, options: Options, *, folding: bool = False, base_url: str = ""
    ) -> None:
        self.content = content
        self.sink = sink
        self.options = options
        self.folding = folding
        self.wording = Wording(content, options.max_chars, base_url)
        self.at: Position | None = None  # of what is being written: where to continue if it does not fit
        self._in_cells = False
        self.off_screen = 0  # left out by viewport_only
        self._off_screen = OffScreen()

    # Pages

    def page(self) -> Position | None:
        """Write everything from `root` or `start` on. Returns where it was cut, or None if everything fitted."""
        try:
            if self.options.start is not None:
                self._go_on(self.options.start)
            else:
                self._from_root()
        except Full:
            return self.at
        return None

    def _from_root(self) -> None:
        tree = self.content.tree
        if self.options.root is None:
            if tree.main.root is None:
                self._hint(0, f"({tree.main.problem})")
                return
            self.children("", tree.main.root, 0, 0, self.content.of("", tree.main.root))
            return
        path = tree.path(self.options.root)
        if path is None:
            return
        frame, node = path[-1]
        self.at = Position((frame, node.ref))
        pieces = self.content.of(frame, node)
        whole = head(frame, node, url=self.wording.url(node), generous=self.options.max_chars // 4)
        self._add(0, whole + (":" if pieces else ""), Piece(frame, node))
        self.children(frame, node, 1, 0, pieces, expand=True)

    def _go_on(self, start: Position) -> None:
        levels = levels_to(self.content, start)
        for level, (frame, node, pieces, at) in enumerate(reversed(levels)):
            rest = at + 1 if level else at
            if rest >= len(pieces):
                continue
            self.at = self._position(frame, node, pieces, rest)
            self.sink.add(Line(0, f"in {self.path_text((frame, node.ref))}:"))
            self.children(frame, node, 0, rest, pieces, expand=True)
            if self.options.root == (frame, node.ref):
                return

    def path_text(self, key: Key) -> str:
        """The path of an element: its nearest named ancestors, outermost first, then itself."""
        path = self.content.tree.path(key) or []
        if len(path) <= 1:
            return "page"
        above = [(f, n) for f, n in path[1:-1] if (n.name or n.role in LANDMARKS) and n.role != "document"]
        return " > ".join(short(frame, node) for frame, node in [*above[-3:], path[-1]])

    # Parts

    def children(
        self,
        frame: str,
        parent: Node,
        depth: int,
        first: int,
        pieces: list[Piece],
        *,
        expand: bool = False,
    ) -> None:
        """The content of an element, from item `first` on. `expand`: long runs and off-screen parts are shown, too."""
        at = first
        folds = 0
        while at < len(pieces):
            run = 1 if expand else run_length(pieces, at)
            if run > _RUN_LENGTH:
                self._write_run(frame, parent, depth, pieces, at, run)
                at += run
            elif self.folding and not expand and (far := self._off_screen.fold(pieces, at, folds >= _FOLDS)) > at:
                self._write_far(frame, parent, depth, pieces, at, far)
                at = far
                folds += 1
            else:
                self.at = self._position(frame, parent, pieces, at)
                self.piece(pieces[at], depth)
                at += 1

    def piece(self, piece: Piece, depth: int) -> None:
        """One element or text, on as few lines as possible."""
        node = piece.node
        if node is None:
            if not self.options.interactive_only:
                self._text(piece, depth)
            return
        if not self._wanted(piece.frame, node):
            return
        if node.role == "iframe":
            self._iframe(piece.frame, node, depth)
            return
        pieces = self.content.of(piece.frame, node)
        if self.options.interactive_only and not acts(node) and not identifies_contents(node):
            self.children(piece.frame, node, depth, 0, pieces)
            return
        written = self.wording.one_line(piece)
        if written is not None:
            if written:
                self._add(depth, written, piece, tuple(pieces))
            return
        if self._is_deep(depth):
            self._add(depth, f"{self.wording.head_line(piece, folded=True)}:", piece, hint=self._inside(pieces))
            return
        if node.role in BARE and is_plain(node):
            self.children(piece.frame, node, depth, 0, pieces)
            return
        self._add(depth, self.wording.head_line(piece), piece)
        self.children(piece.frame, node, depth + 1, 0, pieces)

    def _is_deep(self, depth: int) -> bool:
        """Whether the content of an element at this depth is left out."""
        wanted = MAX_DEPTH if self.options.depth is None else min(self.options.depth, MAX_DEPTH)
        return depth + 1 >= wanted + (self.options.root is not None)

    def _iframe(self, frame: str, node: Node, depth: int) -> None:
        written = self.wording.head_line(Piece(frame, node))
        pieces = self.content.of(frame, node)
        if pieces and self._is_deep(depth):
            self._add(depth, f"{written}:", Piece(frame, node), hint=self._inside(pieces))
            return
        self.sink.add(Line(depth, written, Piece(frame, node), problem=self.wording.problem(node)))
        self.children(frame, node, depth + 1, 0, pieces)

    def _text(self, piece: Piece, depth: int) -> None:
        if len(piece.text) <= self.wording.text_chars:
            self._add(depth, quote(piece.text, self.wording.text_chars), piece)
            return
        limit = self.wording.text_chars
        is_asked_for = self.options.root == (piece.frame, piece.source) or (
            self.options.start is not None and self.options.start == self.at
        )
        if is_asked_for:
            limit = max(limit, self.options.max_chars // 2)
        left = len(piece.text) - limit
        if self.options.by_start:
            way = "" if is_asked_for else f", start={self.at}"
        else:
            way = f", {'get_text ref' if is_asked_for else 'ref'}={ref_text(piece.frame, piece.source)}"
        hint = f"{left:,} more characters{way}" if left > 0 else ""
        self._add(depth, quote(piece.text, limit), msgspec.structs.replace(piece, text=piece.text[:limit]), hint=hint)

    # Summaries

    def _write_run(self, frame: str, parent: Node, depth: int, pieces: list[Piece], at: int, run: int) -> None:
        begin = at
        on_screen = next((i for i in range(at, at + run) if not self._off_screen.is_far(pieces[i])), at)
        if on_screen > at + _RUN_LEAST:
            begin = on_screen
            if self.wording.is_header(pieces[at]):
                self.at = self._position(frame, parent, pieces, at)
                self.piece(pieces[at], depth)
                at, run = at + 1, run - 1
            self._hint_run(frame, parent, depth, pieces, at, begin - at, "before")
        before = self.sink.used
        shown = begin
        most = (
            _CELLS_SHOWN if all(self._cell(piece) for piece in pieces[begin : at + run][:_CELLS_SHOWN]) else _RUN_SHOWN
        )
        self._in_cells = most == _CELLS_SHOWN
        while shown < at + run and not (
            shown - begin >= most or (shown - begin >= _RUN_LEAST and self.sink.used - before > _RUN_CHARS)
        ):
            self.at = self._position(frame, parent, pieces, shown)
            self.piece(pieces[shown], depth)
            shown += 1
        self._in_cells = False
        self._hint_run(frame, parent, depth, pieces, shown, at + run - shown, "more")

    def _hint_run(
        self, frame: str, parent: Node, depth: int, pieces: list[Piece], at: int, count: int, word: str
    ) -> None:
        hidden = [piece for piece in pieces[at : at + count] if piece.node and self._wanted(piece.frame, piece.node)]
        if not hidden:
            return
        self.at = self._position(frame, parent, pieces, at)
        node = hidden[0].node
        role = "" if node is None else node.role
        counted = plural(role, len(hidden)).split(" ", 1)
        text = f"{counted[0]} more {counted[1]}" if word == "more" else f"{counted[0]} {counted[1]} {word}"
        way = f"start={self.at}" if self.options.by_start else f"ref={ref_text(frame, parent.ref)}"
        self._hint(depth, f"… {text}, {way}")

    def _write_far(self, frame: str, parent: Node, depth: int, pieces: list[Piece], at: int, end: int) -> None:
        self.at = self._position(frame, parent, pieces, at)
        self._hint(depth, f"… off screen: {count(pieces[at:end])}, start={self.at}")

    def _wanted(self, frame: str, node: Node) -> bool:
        if self.options.interactive_only and not any(acts(below) or below.frame is not None for below in node.nodes()):
            return False
        if self.options.viewport_only and all(below.offscreen for below in node.nodes()):
            self.off_screen += sum(1 for _ in node.nodes())
            return False
        return True

    # Details

    def _add(self, depth: int, text: str, about: Piece, inline: tuple[Piece, ...] = (), hint: str = "") -> None:
        cell = self._cell(about) if self._in_cells else ""
        self.sink.add(Line(depth, f"{text} {hint}" if hint else text, about, inline, hint, cell=cell))

    def _cell(self, piece: Piece) -> str:
        """Return the beginning of an element's line, if it may stand beside others: a day of a month, a key of a
        pad."""
        node = piece.node
        text = self.wording.one_line(piece) if node is not None and node.role in _CELLS else None
        if not text or node is None or len(_STATES.sub("", text, 1)) > _CELL_CHARS or text.count("ref=") != 1:
            return ""
        return f"{node.role} [clickable]" if text.startswith(f"{node.role} [clickable] ref=") else node.role

    def _hint(self, depth: int, hint: str) -> None:
        self.sink.add(Line(depth, hint, hint=hint))

    def _inside(self, pieces: list[Piece]) -> str:
        """A line that says that an element's content is left out; its own ref shows it."""
        way = f", start={self.at}" if self.options.by_start else ""
        return f"… {count(pieces)} inside{way}"

    def _position(self, frame: str, parent: Node, pieces: list[Piece], at: int) -> Position:
        if at < len(pieces):
            piece = pieces[at]
            if piece.node is not None:
                return Position((piece.frame, piece.node.ref))
        return Position((frame, parent.ref), at)
