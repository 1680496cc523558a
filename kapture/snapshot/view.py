"""The view of a page that a client may have seen before: all of it, or the changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import attrs

from kapture.page.documents.frame import Key
from kapture.page.settling.outcome import Restyled, ScrolledPart
from kapture.snapshot.changes import describe
from kapture.snapshot.content import text_of, without_space
from kapture.snapshot.notation import named
from kapture.snapshot.options import Options
from kapture.snapshot.quoting import flat, quote
from kapture.snapshot.render import Rendering, outline
from kapture.snapshot.take import has_closed, is_under_another, opened_over, without_layer
from kapture.snapshot.tree import Tree

Kind: TypeAlias = Literal["full", "diff", "unchanged"]

FIRST_SNAPSHOT = "first snapshot of this tab"
_STYLE_CHARS = 80
_SHOWN_CHARS = 60
_SURELY_SHORT = 1_000  # characters; a shorter diff is not compared with the size of the whole page


@attrs.frozen(kw_only=True)
class View:
    """The text, and whether it shows everything, changes, or that nothing changed."""

    kind: Kind
    text: str
    why_full: str = ""

    def lines(self) -> list[str]:
        """The text, after a line that says what it is."""
        if self.kind == "full":
            return [f"({self.why_full}: the whole page)", self.text]
        return ["changes:", self.text] if self.kind == "diff" else [self.text]


def changes_since(
    old: Tree | None, new: Tree, options: Options, root: Key | None = None, *, why_none: str = FIRST_SNAPSHOT
) -> View:
    """The changes in words, or the whole page if that is shorter or there is no old one.

    `why_none` says why there is no old one.
    """
    if old is None:
        return _whole(new, options, why_none)
    if old.main.document != new.main.document:
        return _whole(new, options, "new document")
    if old == new:
        return View(kind="unchanged", text="no change")
    closed, base, now = _uncovered(old, new)
    changes = describe(base, now, root=root, max_chars=options.max_chars, cover=opened_over(base, now))
    if changes is not None and closed:
        changes = "\n".join(filter(None, [closed, changes]))
    if changes == "":
        return View(kind="unchanged", text="no change")
    if changes is not None and len(changes) <= _SURELY_SHORT:
        return View(kind="diff", text=changes)
    whole = _whole(new, options, "most of it changed")
    return View(kind="diff", text=changes) if changes is not None and len(changes) < len(whole.text) else whole


def _uncovered(old: Tree, new: Tree) -> tuple[str, Tree, Tree]:
    """A line for each layer that has closed, and the trees to compare: the page behind them, before and now."""
    closed = []
    while (covered := old.covered) is not None and not is_under_another(old, new) and has_closed(covered, new):
        path = old.path(covered.layer)
        closed += [f"- {named(path[-1][1])}"] if path else []
        old, new = covered.page, without_layer(covered, new)
    return "\n".join(closed), old, new


def transient_lines(messages: Sequence[str], tree: Tree | None = None) -> list[str]:
    """Lines for messages that appeared during an action and are gone again, and that the tree does not show."""
    if not messages:
        return []
    roots = [view.root for view in tree.frames.values() if view.root is not None] if tree is not None else []
    shown = [without_space(text_of(root)) for root in roots]
    lines = []
    texts = list(dict.fromkeys(flat(message) for message in messages))
    for message in texts:
        if any(message != other and without_space(message) in without_space(other) for other in texts):
            continue  # a part of another, which the page built up step by step
        if message and not any(without_space(message) in text for text in shown):
            lines.append(f"! {quote(message, 300)} (appeared and disappeared)")
    return lines


_PICTURES = {"another": "draws another picture", "unknown": "may draw another picture: take a screenshot"}


def restyled_lines(restyled: Sequence[Restyled]) -> list[str]:
    """Lines for elements that only look different after an action."""
    lines = []
    for one in dict.fromkeys(restyled):
        if one.attribute == "picture":
            lines.append(f"~ {one.element}: {_PICTURES[one.now]}")
            continue
        now, was = (quote(flat(value), _STYLE_CHARS) for value in (one.now, one.was))
        lines.append(f"~ {one.element}: {one.attribute} {now} (was {was})")
    return lines


def scrolled_lines(scrolled: Sequence[ScrolledPart]) -> list[str]:
    """Lines for what an action has scrolled."""
    lines = []
    for one in {part.what: part for part in scrolled}.values():
        shown = ", ".join(quote(flat(text), _SHOWN_CHARS) for text in one.shown)
        in_view = f"; came into view: {shown}" if shown else ""
        lines.append(f"scrolled {one.what} to {', '.join(one.positions)}{in_view}")
    return lines


def _whole(tree: Tree, options: Options, why: str) -> View:
    rendering: Rendering = outline(tree, options)
    return View(kind="full", text=rendering.text, why_full=why)
