"""A tree as one flat table: `elements[5]{ref,role,name,states}`, in TOON."""

from __future__ import annotations

from typing import Any

import toons

from kapture.page.documents.frame import ref_text
from kapture.snapshot.content import Content, acts, is_closed_choice, text_of
from kapture.snapshot.node import Node
from kapture.snapshot.notation import hint_text, states_of
from kapture.snapshot.options import Options
from kapture.snapshot.outline import Outline
from kapture.snapshot.quoting import flat, plain_url
from kapture.snapshot.render import Rendering, cut_line
from kapture.snapshot.roles import CELLS
from kapture.snapshot.sink import Full, Line
from kapture.snapshot.tree import Tree

_NAME_CHARS = 200
_VALUE_CHARS = 100
_CHECKABLE = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
_ROOM_FOR_HEADER = 400


def toon(tree: Tree, options: Options) -> Rendering:
    """The same parts as the outline, one element per row; texts are rows with the ref of their element."""
    sink = TableSink(options.max_chars - _ROOM_FOR_HEADER)
    cut = Outline(Content(tree), sink, options, base_url=tree.main.url).page()
    table: dict[str, Any] = {
        "url": plain_url(tree.main.url, 160),
        "title": flat(tree.main.title)[:100],
        "elements": sink.rows,
    }
    notes = list(sink.notes)
    if cut is not None:
        notes.append(cut_line(options, cut))
    if notes:
        table["notes"] = notes
    return Rendering(text=toons.dumps(table), next=cut)


class TableSink:
    """Rows instead of lines. Hints become notes, because they are not elements."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self.rows: list[dict[str, str]] = []
        self.notes: list[str] = []

    def add(self, line: Line) -> None:
        """Add one line: its element, and the inline ones."""
        rows: list[dict[str, str]] = []
        about = line.about
        if about is not None and about.node is None:
            rows.append({"ref": ref_text(about.frame, about.source), "role": "text", "name": about.text, "states": ""})
        elif about is not None and about.node is not None:
            _rows(about.frame, about.node, line, rows)
        note = line.hint
        if note and rows:
            note = f"{rows[0]['ref']}: {note}"
        size = sum(_size(row) for row in rows) + (len(note.encode("unicode_escape")) + 8 if note else 0)
        if self.used + size > self.limit:
            raise Full
        self.used += size
        self.rows += rows
        if note:
            self.notes.append(note)


def _rows(frame: str, node: Node, line: Line, rows: list[dict[str, str]]) -> None:
    name = node.name or (text_of(node) if line.inline else "") or hint_text(node)
    rows.append(_row(frame, node.ref, node.role, name, " ".join(filter(None, [line.problem, _states(node)]))))
    for piece in line.inline:
        if piece.node is None:
            continue
        for below in piece.node.nodes():
            if below.role == "option" and is_closed_choice(node):
                continue  # select accepts any of them by name
            if below.role != "paragraph" and (acts(below) or below.name or below.states or below.value is not None):
                if below.role in CELLS and not below.clickable:
                    continue
                words = below.name or (text_of(below) if acts(below) else "") or hint_text(below)
                rows.append(_row(piece.frame, below.ref, below.role, words, _states(below)))


def _row(frame: str, ref: int, role: str, name: str, states: str) -> dict[str, str]:
    name = flat(name)
    cut = name[:_NAME_CHARS] + ("…" if len(name) > _NAME_CHARS else "")
    return {"ref": ref_text(frame, ref), "role": role, "name": cut, "states": states}


def _states(node: Node) -> str:
    words = states_of(node)
    if node.role in _CHECKABLE and not node.states.get("checked"):
        words.insert(0, "unchecked")
    if node.value not in (None, ""):
        words.append(f"value={flat(str(node.value))[:_VALUE_CHARS]}")
    return " ".join(words)


def _size(row: dict[str, str]) -> int:
    return sum(len(value.encode("unicode_escape")) for value in row.values()) + 14
