"""From a tree to lines: what is said on one line, what is summed up, and where a long page is cut.

Three ways lead on from what is left out, and together they reach everything:

- `… 480 more rows, ref=e40`: a long run of alike elements shows its first ones; a snapshot with `root` e40 shows all.
- `… off screen: 14 links, start=e90`: on a long page, what must be scrolled to is counted; `start` e90 shows it.
- `… cut at 20,000 characters: go on with start=e640`: the limit was reached; `start` e640 goes on from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import attrs

from kapture.snapshot.content import BARE, INTERACTIVE, Content, Piece, acts, is_cell, is_echo, says_nothing
from kapture.snapshot.node import Key, Node, ref_text
from kapture.snapshot.notation import head, link_url, plural, short
from kapture.snapshot.quoting import quote
from kapture.snapshot.tree import Tree

SHORT_PAGE_CHARS = 6_000
"""A page whose outline is shorter is shown whole, what is off screen too."""

MAX_DEPTH = 40
"""Levels shown at once; what is deeper is reached with `root`."""

_RUN_LENGTH = 12  # alike siblings from which on a run may be cut short
_RUN_SHOWN = 20
_RUN_CHARS = 2_000
_RUN_LEAST = 2
_FOLD_NODES = 4
_FOLD_CHARS = 300
_FOLDS = 10  # in one element, between headings and landmarks that are shown
_TEXT_CHARS = 500
_LINE_CHARS = 240
_ROW_CHARS = 600
_OPTIONS = 10
_RUN_ROLES = INTERACTIVE | frozenset(
    {
        "row",
        "listitem",
        "article",
        "image",
        "cell",
        "gridcell",
        "group",
        "generic",
        "figure",
        "definition",
        "term",
        "comment",
        "listbox",
        "table",
    }
)
_COUNTED = INTERACTIVE | {"heading", "row", "image"}
_FLOWING = BARE | {"listitem", "row", "cell", "gridcell", "rowheader", "columnheader", "term", "definition"}
_LANDMARKS = frozenset(
    {
        "alert",
        "alertdialog",
        "article",
        "banner",
        "complementary",
        "contentinfo",
        "dialog",
        "form",
        "heading",
        "main",
        "navigation",
        "region",
        "search",
        "table",
        "tablist",
        "list",
        "grid",
        "tree",
        "iframe",
    }
)


@attrs.frozen(kw_only=True)
class Options:
    """What of a tree to show. `root`: only what is in this element; `start`: go on where an earlier one stopped."""

    root: Key | None = None
    start: Place | None = None
    depth: int | None = None
    interactive_only: bool = False
    viewport_only: bool = False
    max_chars: int = 20_000


@attrs.frozen
class Place:
    """Where to go on: at an element, or at the `item`-th thing inside it (from 0; a text has no ref of its own)."""

    key: Key
    item: int | None = None

    def __str__(self) -> str:
        return ref_text(*self.key) + ("" if self.item is None else f":{self.item}")


@attrs.frozen
class Line:
    """One line: `text` as the outline writes it, without indentation.

    It is about `about` (a text or an element), tells `inline` on the same line, and ends with `hint`, which is all
    there is on lines about nothing. `problem`: why nothing is told of a frame.
    """

    depth: int
    text: str
    about: Piece | None = None
    inline: tuple[Piece, ...] = ()
    hint: str = ""
    problem: str = ""


class Full(Exception):  # noqa: N818  not an error: the limit is reached
    """Nothing more fits."""


class Sink(Protocol):
    """Takes lines; `Full` when one does not fit any more."""

    used: int

    def add(self, line: Line) -> None:
        """Take one line."""


class TextSink:
    """An indented text of at most `limit` characters."""

    def __init__(self, limit: int, prefix: str = "") -> None:
        self.limit = limit
        self.prefix = prefix
        self.used = 0
        self.lines: list[str] = []

    def add(self, line: Line) -> None:
        """Take one line."""
        written = f"{self.prefix}{'  ' * line.depth}{line.text}"
        if self.used + len(written) + 1 > self.limit:
            raise Full
        self.used += len(written) + 1
        self.lines.append(written)


class Outline:
    """Writes parts of one tree into one sink."""

    def __init__(
        self, content: Content, sink: Sink, options: Options, *, folding: bool = False, base_url: str = ""
    ) -> None:
        self.content = content
        self.sink = sink
        self.options = options
        self.folding = folding
        self.base_url = base_url
        self.at: Place | None = None  # what is being written: where to go on when it does not fit
        self.off_screen = 0  # left out by viewport_only
        self._text_chars = min(_TEXT_CHARS, max(200, options.max_chars // 4))
        self._repeated: set[str] | None = None
        self._weights: dict[Key, tuple[int, int] | None] = {}

    # Whole pages

    def page(self) -> Place | None:
        """Everything from `root` or `start` on. Where it was cut, or None when all fitted."""
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
        self.at = Place((frame, node.ref))
        pieces = self.content.of(frame, node)
        whole = head(frame, node, url=self.url(node), generous=self.options.max_chars // 4)
        self._add(0, whole + (":" if pieces else ""), Piece(frame, node))
        self.children(frame, node, 1, 0, pieces, expand=True)

    def _go_on(self, start: Place) -> None:
        levels = self._levels(start)
        for level, (frame, node, pieces, at) in enumerate(reversed(levels)):
            rest = at + 1 if level else at
            if rest >= len(pieces):
                continue
            self.at = self._place(frame, node, pieces, rest)
            self.sink.add(Line(0, f"in {self.path_text((frame, node.ref))}:"))
            self.children(frame, node, 0, rest, pieces, expand=True)
            if self.options.root == (frame, node.ref):
                return

    def _levels(self, start: Place) -> list[tuple[str, Node, list[Piece], int]]:
        """From the top down to the place: each element on the way, what is in it, and which of that is on the way."""
        path = self.content.tree.path(start.key)
        if not path:
            return []
        levels: list[tuple[str, Node, list[Piece], int]] = []
        frame, node = path[0]
        below = {(frame, node.ref): position for position, (frame, node) in enumerate(path)}
        while (frame, node.ref) != start.key:
            pieces = self.content.of(frame, node)
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
            pieces = self.content.of(frame, node)
            levels.append((frame, node, pieces, min(start.item, len(pieces))))
        return levels or [(frame, node, self.content.of(frame, node), 0)]

    def path_text(self, key: Key) -> str:
        """Where an element stands: its nearest named elements, outermost first, then itself."""
        path = self.content.tree.path(key) or []
        if len(path) <= 1:
            return "page"
        above = [(f, n) for f, n in path[1:-1] if (n.name or n.role in _LANDMARKS) and n.role != "document"]
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
        """What is inside an element, from the `first` piece on. `expand`: long runs and far parts are shown, too."""
        at = first
        folds = 0
        while at < len(pieces):
            run = 1 if expand else self._run(pieces, at)
            if run > _RUN_LENGTH:
                self._write_run(frame, parent, depth, pieces, at, run)
                at += run
            elif self.folding and not expand and (far := self._far(pieces, at, folds >= _FOLDS)) > at:
                self._write_far(frame, parent, depth, pieces, at, far)
                at = far
                folds += 1
            else:
                self.at = self._place(frame, parent, pieces, at)
                self.piece(pieces[at], depth)
                at += 1

    def piece(self, piece: Piece, depth: int) -> None:
        """One element or text, on as few lines as it takes."""
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
        if self.options.interactive_only and not acts(node) and not _tells_which(node):
            self.children(piece.frame, node, depth, 0, pieces)
            return
        written = self._one_line(piece.frame, node, pieces)
        if written is not None:
            if written:
                self._add(depth, written, piece, tuple(pieces))
            return
        if self._is_deep(depth):
            self._add(depth, f"{self.head_line(piece)}:", piece, hint=f"… {self._count(pieces)} inside")
            return
        if node.role in BARE and says_nothing(node):
            self.children(piece.frame, node, depth, 0, pieces)
            return
        self._add(depth, self.head_line(piece), piece)
        self.children(piece.frame, node, depth + 1, 0, pieces)

    def _is_deep(self, depth: int) -> bool:
        """Whether what is inside an element at this depth is not shown any more."""
        wanted = MAX_DEPTH if self.options.depth is None else min(self.options.depth, MAX_DEPTH)
        return depth + 1 >= wanted + (self.options.root is not None)

    def _iframe(self, frame: str, node: Node, depth: int) -> None:
        written = self._iframe_line(frame, node)
        pieces = self.content.of(frame, node)
        if pieces and self._is_deep(depth):
            self._add(depth, f"{written}:", Piece(frame, node), hint=f"… {self._count(pieces)} inside")
            return
        self.sink.add(Line(depth, written, Piece(frame, node), problem=self._problem(node)))
        self.children(frame, node, depth + 1, 0, pieces)

    def _iframe_line(self, frame: str, node: Node) -> str:
        problem = self._problem(node)
        if problem:
            return head(frame, node).replace("iframe", f"iframe ({problem})", 1)
        view = self.content.tree.shown(node)
        return head(frame, node, url="" if view is None else link_url(view.url, self.base_url))

    def _problem(self, node: Node) -> str:
        view = self.content.tree.shown(node)
        return "not loaded" if view is None else view.problem

    def _text(self, piece: Piece, depth: int) -> None:
        if len(piece.text) <= self._text_chars:
            self._add(depth, quote(piece.text, self._text_chars), piece)
            return
        limit = self._text_chars
        if self.options.root == (piece.frame, piece.source):
            limit = max(limit, self.options.max_chars // 2)
        left = len(piece.text) - limit
        way = "get_text ref" if self.options.root == (piece.frame, piece.source) else "ref"
        hint = f"{left:,} more characters, {way}={ref_text(piece.frame, piece.source)}" if left > 0 else ""
        self._add(depth, quote(piece.text, limit), piece, hint=hint)

    # One line

    def one_line(self, piece: Piece) -> str | None:
        """The element with all that is in it, when that fits on a line; else None."""
        if piece.node is None or piece.node.role == "iframe":
            return None
        return self._one_line(piece.frame, piece.node, self.content.of(piece.frame, piece.node))

    def head_line(self, piece: Piece) -> str:
        """The element alone, as it is written above what is in it."""
        node = piece.node
        if node is None or (node.role in BARE and says_nothing(node)):
            return ""
        if node.role == "iframe":
            return self._iframe_line(piece.frame, node)
        return self._head(piece.frame, node, name=node.role != "row" or not is_echo(node))

    def _one_line(self, frame: str, node: Node, pieces: list[Piece]) -> str | None:
        """The element with all that is in it, when that fits on a line; else None."""
        if not pieces:
            return "" if node.role in BARE and says_nothing(node) else self._head(frame, node)
        if node.role == "combobox" and node.states.get("expanded") is not True:
            return self._choices(frame, node, pieces)
        if node.role not in _FLOWING and sum(piece.node is not None for piece in pieces) > 1:
            return None
        told = self._told(pieces, 2, node.role == "row")
        if told is None:
            return None
        if node.role in BARE and says_nothing(node):
            line = " ".join(told)
        else:
            only = pieces[0].node if len(pieces) == 1 else None
            named = not (only is not None and only.name == node.name) and not (node.name and is_echo(node))
            extra = ("header",) if self._is_header(Piece(frame, node)) else ()
            separator = " | " if node.role == "row" else " "
            line = f"{self._head(frame, node, name=named, extra_states=extra)}: {separator.join(told)}"
        limit = _ROW_CHARS if node.role == "row" else _LINE_CHARS
        return line if len(line) <= limit or (len(told) == 1 and pieces[0].node is None) else None

    def _told(self, pieces: Sequence[Piece], levels: int, in_row: bool = False) -> list[str] | None:
        """Each piece on its part of a line; None when one needs lines of its own."""
        told: list[str] = []
        for piece in pieces:
            node = piece.node
            if node is None:
                if len(piece.text) > self._text_chars:
                    return None
                told.append(quote(piece.text, self._text_chars))
                continue
            if node.role == "iframe":
                return None
            inner = self.content.of(piece.frame, node)
            if is_cell(node) or (node.role in BARE and says_nothing(node)):
                below = self._told(inner, levels, in_row) if inner else [quote(node.name, _LINE_CHARS)]
                if below is None:
                    return None
                told.append(" ".join(below))
            elif not inner:
                told.append(self._head(piece.frame, node, url=not in_row))
            elif node.role == "combobox" and node.states.get("expanded") is not True:
                told.append(f"{self._head(piece.frame, node)}: … {plural('option', len(inner))}")
            elif levels and len(inner) == 1 and (below := self._told(inner, levels - 1)) is not None:
                same = inner[0].node is not None and inner[0].node.name == node.name
                told.append(f"{self._head(piece.frame, node, name=not same)}: {below[0]}")
            else:
                return None
        return told

    def _choices(self, frame: str, node: Node, pieces: list[Piece]) -> str | None:
        """A closed list of choices: what can be chosen, without refs, for one selects by what is written there."""
        if any(piece.node is None or piece.node.role not in ("option", "group") for piece in pieces):
            return None
        options = [
            below
            for piece in pieces
            if piece.node is not None
            for below in piece.node.nodes()
            if below.role == "option"
        ]
        told = [
            quote(option.name, 40) + (" [disabled]" if option.states.get("disabled") else "")
            for option in options[:_OPTIONS]
        ]
        while len(told) > 1 and sum(map(len, told)) > _LINE_CHARS:
            told.pop()
        if len(told) < len(options):
            told.append(f"… {plural('option', len(options) - len(told)).replace(' ', ' more ', 1)}")
        return f"{self._head(frame, node)}: {' | '.join(told)}"

    def _head(
        self, frame: str, node: Node, *, name: bool = True, url: bool = True, extra_states: tuple[str, ...] = ()
    ) -> str:
        return head(frame, node, name=name, url=self.url(node) if url else "", extra_states=extra_states)

    def url(self, node: Node) -> str:
        """A link's address, when it tells more than the link's name."""
        if node.url is None or node.role != "link":
            return ""
        if self._repeated is None:
            self._repeated = _names_of_many(self.content.tree)
        short_url = link_url(node.url, self.base_url)
        if not node.name or node.name in self._repeated:
            return short_url
        return short_url if not short_url.startswith(("/", "#")) and short_url not in node.name else ""

    # What is summed up

    def _run(self, pieces: list[Piece], at: int) -> int:
        """How many alike elements stand here in a row."""
        first = pieces[at].node
        if first is None or first.role not in _RUN_ROLES:
            return 1
        end = at + 1
        while end < len(pieces):
            node = pieces[end].node
            if node is None or node.role != first.role:
                break
            end += 1
        return end - at

    def _write_run(self, frame: str, parent: Node, depth: int, pieces: list[Piece], at: int, run: int) -> None:
        begin = at
        on_screen = next((i for i in range(at, at + run) if not self._is_far(pieces[i])), at)
        if on_screen > at + _RUN_LEAST:
            begin = on_screen
            if self._is_header(pieces[at]):
                self.at = self._place(frame, parent, pieces, at)
                self.piece(pieces[at], depth)
                at, run = at + 1, run - 1
            self._hint_run(frame, parent, depth, pieces, at, begin - at, "before")
        before = self.sink.used
        shown = begin
        while shown < at + run and not (
            shown - begin >= _RUN_SHOWN or (shown - begin >= _RUN_LEAST and self.sink.used - before > _RUN_CHARS)
        ):
            self.at = self._place(frame, parent, pieces, shown)
            self.piece(pieces[shown], depth)
            shown += 1
        self._hint_run(frame, parent, depth, pieces, shown, at + run - shown, "more")

    def _hint_run(
        self, frame: str, parent: Node, depth: int, pieces: list[Piece], at: int, count: int, word: str
    ) -> None:
        hidden = [piece for piece in pieces[at : at + count] if piece.node and self._wanted(piece.frame, piece.node)]
        if not hidden:
            return
        self.at = self._place(frame, parent, pieces, at)
        node = hidden[0].node
        role = "" if node is None else node.role
        said = plural(role, len(hidden)).split(" ", 1)
        text = f"{said[0]} more {said[1]}" if word == "more" else f"{said[0]} {said[1]} {word}"
        self._hint(depth, f"… {text}, ref={ref_text(frame, parent.ref)}")

    def _far(self, pieces: list[Piece], at: int, everything: bool) -> int:
        """The end of what can be folded from here on, as being off screen; `at` when it is not worth it.

        Headings and landmarks stay, for one must know that they are there, unless `everything`: there are too many.
        """
        end = at
        count = size = 0
        while end < len(pieces) and (weight := self._weight(pieces[end])) is not None:
            node = pieces[end].node
            if node is not None and node.role in _LANDMARKS and not everything:
                break
            count += weight[0]
            size += weight[1]
            end += 1
        return end if count >= _FOLD_NODES or size >= _FOLD_CHARS else at

    def _is_far(self, piece: Piece) -> bool:
        return self._weight(piece) is not None

    def _weight(self, piece: Piece) -> tuple[int, int] | None:
        """How many elements and characters of text a piece has; None when any of it is on screen or has the focus."""
        node = piece.node
        if node is None:
            return (0, len(piece.text)) if piece.far else None
        if not node.offscreen:
            return None
        key = (piece.frame, node.ref)
        if key not in self._weights:
            self._weights[key] = _weigh(node)
        return self._weights[key]

    def _write_far(self, frame: str, parent: Node, depth: int, pieces: list[Piece], at: int, end: int) -> None:
        self.at = self._place(frame, parent, pieces, at)
        self._hint(depth, f"… off screen: {self._count(pieces[at:end])}, start={self.at}")

    def _count(self, pieces: Sequence[Piece]) -> str:
        """What is there, in a few words: `14 links, 3 buttons, text`."""
        counts: Counter[str] = Counter()
        texts = others = size = 0
        stack: list[Node] = []
        for piece in pieces:
            if piece.node is None:
                texts += 1
                size += len(piece.text)
            else:
                stack.append(piece.node)
        while stack:
            node = stack.pop()
            said = 0
            for child in node.children:
                if isinstance(child, str):
                    said += len(child)
                else:
                    stack.append(child)
            size += said
            if node.role in _COUNTED or node.clickable:
                counts[node.role] += 1
            elif node.children or not says_nothing(node):
                others += 1
            texts += said > 0 and node.role not in INTERACTIVE
        told = [plural(role, count) for role, count in counts.most_common(4)]
        if len(counts) > 4:
            told.append("others")
        if texts and (not told or size > _FOLD_CHARS):
            told.append(f"{texts:,} text{'s' if texts != 1 else ''}")
        elif not told:
            told.append(f"{others:,} element{'s' if others != 1 else ''}")
        return ", ".join(told)

    def _wanted(self, frame: str, node: Node) -> bool:
        if self.options.interactive_only and not any(acts(below) or below.frame is not None for below in node.nodes()):
            return False
        if self.options.viewport_only and all(below.offscreen for below in node.nodes()):
            self.off_screen += sum(1 for _ in node.nodes())
            return False
        return True

    def _is_header(self, piece: Piece) -> bool:
        """Whether this is the row that says what the columns are."""
        if piece.node is None or piece.node.role != "row":
            return False
        cells = self.content.of(piece.frame, piece.node)
        return bool(cells) and all(cell.node is not None and cell.node.role == "columnheader" for cell in cells)

    # Small things

    def _add(self, depth: int, text: str, about: Piece, inline: tuple[Piece, ...] = (), hint: str = "") -> None:
        self.sink.add(Line(depth, f"{text} {hint}" if hint else text, about, inline, hint))

    def _hint(self, depth: int, hint: str) -> None:
        self.sink.add(Line(depth, hint, hint=hint))

    def _place(self, frame: str, parent: Node, pieces: list[Piece], at: int) -> Place:
        if at < len(pieces):
            piece = pieces[at]
            if piece.node is not None:
                return Place((piece.frame, piece.node.ref))
        return Place((frame, parent.ref), at)


def _on_the_way(pieces: Sequence[Piece], below: set[Key]) -> int | None:
    """Which piece leads to one of these elements; an element before a text, which may only stand beside it."""
    for at, piece in enumerate(pieces):
        if piece.node is not None and (piece.frame, piece.source) in below:
            return at
    for at, piece in enumerate(pieces):
        if piece.node is None and (piece.frame, piece.source) in below:
            return at
    return None


def _weigh(top: Node) -> tuple[int, int] | None:
    count = size = 0
    stack = [top]
    while stack:
        node = stack.pop()
        if not node.offscreen or node.states.get("focused"):
            return None
        count += 1
        for child in node.children:
            if isinstance(child, str):
                size += len(child)
            else:
                stack.append(child)
    return count, size


def _tells_which(node: Node) -> bool:
    """Whether what is in an element can only be told apart by the element around it."""
    return node.role in ("row", "listitem", "iframe") or (bool(node.name) and node.role in _LANDMARKS)


def _names_of_many(tree: Tree) -> set[str]:
    """Names that links to several addresses share: `Read more`."""
    first: dict[str, str] = {}
    repeated: set[str] = set()
    for _, node in tree.walk():
        if node.role == "link" and node.url is not None and first.setdefault(node.name, node.url) != node.url:
            repeated.add(node.name)
    return repeated
