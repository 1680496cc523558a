"""Renders a tree as the text of an answer: the outline, the flat table, or JSON."""

from __future__ import annotations

import attrs

from kapture.snapshot.content import Content
from kapture.snapshot.options import Options, Position
from kapture.snapshot.outline import SHORT_PAGE_CHARS, Outline
from kapture.snapshot.quoting import flat, plain_url, quote
from kapture.snapshot.sink import TextSink
from kapture.snapshot.tree import Tree

_HINT_CHARS = 120


@attrs.frozen(kw_only=True)
class Rendering:
    """The shown lines, and where to continue (`start` of the next snapshot) if the limit was reached."""

    text: str
    next: Position | None = None


def page_line(tree: Tree) -> str:
    """`page "Title" https://…`."""
    title = f"{quote(flat(tree.main.title), 100)} " if tree.main.title else ""
    return f"page {title}{plain_url(tree.main.url, 160)}"


def outline(tree: Tree, options: Options) -> Rendering:
    """The indented outline: see docs/SNAPSHOTS.md."""
    content = Content(tree)
    title = page_line(tree)
    room = options.max_chars - len(title) - _HINT_CHARS
    whole = options.root is None and options.start is None and not options.viewport_only
    attempts = [(min(room, SHORT_PAGE_CHARS), False), (room, True)] if whole else [(room, False)]
    for limit, folding in attempts:
        sink = TextSink(limit)
        writer = Outline(content, sink, options, folding=folding, base_url=tree.main.url)
        cut = writer.page()
        if cut is None:
            break
    lines = [title, *sink.lines]
    if writer.off_screen:
        lines.append(f"… {writer.off_screen:,} off-screen elements left out")
    if cut is not None:
        lines.append(cut_line(options, cut))
    elif not sink.lines:
        lines.append("(nothing to show)")
    return Rendering(text="\n".join(lines), next=cut)


def cut_line(options: Options, cut: Position) -> str:
    """The line that says that the limit was reached, and how to continue."""
    same = "" if options.root is None else " and the same root"
    return f"… cut at {options.max_chars:,} characters: continue with start={cut}{same}"
