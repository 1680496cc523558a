"""One element on one line, with as much of its content as fits."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kapture.snapshot.content import (
    Content,
    Piece,
    acts,
    bears_ref,
    is_cell,
    is_closed_choice,
    is_echo,
    is_plain,
    is_repeated,
    is_slim,
    text_of,
)
from kapture.snapshot.node import Node
from kapture.snapshot.notation import NAME_CHARS, head, link_url, plural
from kapture.snapshot.quoting import flat, quote
from kapture.snapshot.roles import BARE

_TEXT_CHARS = 500
_LINE_CHARS = 240
_ROW_CHARS = 600
_OPTIONS = 10
_FLOWING = BARE | {"listitem", "row", "cell", "gridcell", "rowheader", "columnheader", "term", "definition"}


class Wording:
    """The lines of one tree's elements. Texts longer than `text_chars` are truncated."""

    def __init__(self, content: Content, max_chars: int, base_url: str) -> None:
        self.content = content
        self.base_url = base_url
        self.text_chars = min(_TEXT_CHARS, max(200, max_chars // 4))

    def one_line(self, piece: Piece) -> str | None:
        """The element with all of its content, if that fits on a line; None otherwise."""
        if piece.node is None or piece.node.role == "iframe":
            return None
        return self._one_line(piece.frame, piece.node, self.content.of(piece.frame, piece.node))

    def item_line(self, piece: Piece) -> str:
        """A row or item with its ref and its controls, on one line in any case."""
        assert piece.node is not None  # noqa: S101
        head_line = self.head_line(piece, folded=True)
        pieces = self.content.of(piece.frame, piece.node)
        in_row = piece.node.role == "row"
        parts = self._parts(pieces, 2, in_row, cells=in_row)
        separator = " | " if in_row else " "
        if parts is None or len(separator.join(parts)) > _ROW_CHARS:
            controls = [below for below in piece.node.nodes() if below is not piece.node and acts(below)]
            parts = [quote(flat(text_of(piece.node)), _LINE_CHARS // 2)]
            parts += [self.head(piece.frame, below, url=False) for below in controls[:_OPTIONS]]
        return f"{head_line}: {separator.join(parts)}" if parts else head_line

    def head_line(self, piece: Piece, *, folded: bool = False) -> str:
        """The element without its content. `folded`: its content is left out and shown by its ref."""
        node = piece.node
        if node is None or (node.role in BARE and is_plain(node)):
            return ""
        if node.role == "iframe":
            return self._iframe(piece.frame, node)
        return self.head(piece.frame, node, name=node.role != "row" or not is_echo(node), ref=folded or bears_ref(node))

    def _one_line(self, frame: str, node: Node, pieces: list[Piece]) -> str | None:
        """The element with all of its content, if that fits on a line; None otherwise."""
        if not pieces:
            return "" if is_slim(node) else self.head(frame, node)
        if is_closed_choice(node):
            return self._choices(frame, node, pieces)
        if node.role not in _FLOWING and sum(piece.node is not None for piece in pieces) > 1:
            return None
        in_row = node.role == "row"
        parts = self._parts(pieces, 2, in_row, cells=in_row)
        if parts is None:
            return None
        if is_slim(node):
            line = " ".join(parts)
        else:
            only = pieces[0].node if len(pieces) == 1 else None
            named = not (only is not None and only.name == node.name) and not (node.name and is_repeated(node, pieces))
            extra = ("header",) if self.is_header(Piece(frame, node)) else ()
            separator = " | " if in_row else " "
            line = f"{self.head(frame, node, name=named, extra_states=extra)}: {separator.join(parts)}"
        limit = _ROW_CHARS if in_row else _LINE_CHARS
        return line if len(line) <= limit or (len(parts) == 1 and pieces[0].node is None) else None

    def _parts(
        self, pieces: Sequence[Piece], levels: int, in_row: bool = False, *, cells: bool = False, followed: bool = False
    ) -> list[str] | None:
        """The text for each item of a line; None if one of them needs lines of its own. Whatever is after a colon looks
        like the content of what is before it: so only `cells`, which bars separate, and the last item, unless it is
        `followed` by something, have theirs after one."""
        parts: list[str] = []
        for at, piece in enumerate(pieces):
            node = piece.node
            last = cells or (at == len(pieces) - 1 and not followed)
            if node is None:
                if len(piece.text) > self.text_chars:
                    return None
                parts.append(quote(piece.text, self.text_chars))
                continue
            if node.role == "iframe":
                return None
            inner = self.content.of(piece.frame, node)
            if is_cell(node) or is_slim(node):
                alone = [quote(flat(node.name), _LINE_CHARS)]
                below = self._parts(inner, levels, in_row, followed=not last) if inner else alone
                if below is None:
                    return None
                parts.append(" ".join(below))
            elif not inner:
                parts.append(self.head(piece.frame, node, url=not in_row))
            elif is_closed_choice(node) and _only_options(inner):
                parts.append(f"{self.head(piece.frame, node)}: … {plural('option', len(inner))}")
            elif not last and not node.name and len(text := _only_text(inner)) in range(1, NAME_CHARS):
                parts.append(self.head(piece.frame, msgspec.structs.replace(node, name=text)))
            elif last and levels and len(inner) == 1 and (below := self._parts(inner, levels - 1)) is not None:
                same = inner[0].node is not None and inner[0].node.name == node.name
                parts.append(f"{self.head(piece.frame, node, name=not same)}: {below[0]}")
            else:
                return None
        return parts

    def _choices(self, frame: str, node: Node, pieces: list[Piece]) -> str | None:
        """A closed list of choices: the choices without refs, because they are selected by their text."""
        if not _only_options(pieces):
            return None
        options = [
            below
            for piece in pieces
            if piece.node is not None
            for below in piece.node.nodes()
            if below.role == "option"
        ]
        parts = [
            quote(flat(option.name), 40) + (" [disabled]" if option.states.get("disabled") else "")
            for option in options[:_OPTIONS]
        ]
        while len(parts) > 1 and sum(map(len, parts)) > _LINE_CHARS:
            parts.pop()
        if len(parts) < len(options):
            parts.append(f"… {plural('option', len(options) - len(parts)).replace(' ', ' more ', 1)}")
        return f"{self.head(frame, node)}: {' | '.join(parts)}"

    def head(
        self,
        frame: str,
        node: Node,
        *,
        name: bool = True,
        url: bool = True,
        extra_states: tuple[str, ...] = (),
        ref: bool | None = None,
    ) -> str:
        """The element without its content, with a link's URL if that is useful."""
        link = self.url(node) if url else ""
        return head(
            frame, node, name=name, url=link, extra_states=extra_states, ref=bears_ref(node) if ref is None else ref
        )

    def url(self, node: Node) -> str:
        """A link's URL, if it tells more than the link's name."""
        if node.url is None or node.role != "link":
            return ""
        short_url = link_url(node.url, self.base_url)
        if not node.name or node.name in self.content.repeated:
            return short_url
        return short_url if not short_url.startswith(("/", "#")) and short_url not in node.name else ""

    def _iframe(self, frame: str, node: Node) -> str:
        problem = self.problem(node)
        if problem:
            return head(frame, node).replace("iframe", f"iframe ({problem})", 1)
        view = self.content.tree.shown(node)
        return head(frame, node, url="" if view is None else link_url(view.url, self.base_url))

    def problem(self, node: Node) -> str:
        """Why nothing is shown of an `iframe`'s frame; "" if something is."""
        view = self.content.tree.shown(node)
        return "not loaded" if view is None else view.why_not_shown

    def is_header(self, piece: Piece) -> bool:
        """Whether this is the row with the column headers."""
        if piece.node is None or piece.node.role != "row":
            return False
        cells = self.content.of(piece.frame, piece.node)
        return bool(cells) and all(cell.node is not None and cell.node.role == "columnheader" for cell in cells)


def _only_text(pieces: Sequence[Piece]) -> str:
    """The text that is all there is in an element; "" if there is more."""
    return pieces[0].text if len(pieces) == 1 and pieces[0].node is None else ""


def _only_options(pieces: Sequence[Piece]) -> bool:
    """Whether a list has nothing but its choices; that of a widget may show in it what is chosen."""
    return all(piece.node is not None and piece.node.role in ("option", "group") for piece in pieces)
