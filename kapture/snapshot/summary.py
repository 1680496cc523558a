"""Summaries of runs of similar elements, and of content off screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kapture.page.documents.frame import Key
from kapture.snapshot.content import Piece, is_plain
from kapture.snapshot.node import Node
from kapture.snapshot.notation import plural
from kapture.snapshot.roles import INTERACTIVE

# So many elements, or characters of text, or a part of either, are worth the line that counts them.
_FOLD_NODES = 4
_FOLD_CHARS = 300
_BRIEF_CHARS = 100  # texts of no more characters beside elements are not named
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
LANDMARKS = frozenset(
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
"""Elements that are always shown, wherever they are."""


class OffScreen:
    """Which items of one tree are off screen, each computed once."""

    def __init__(self) -> None:
        self._weights: dict[Key, tuple[int, int] | None] = {}

    def fold(self, pieces: list[Piece], at: int, everything: bool) -> int:
        """The end of what can be folded from here on because it is off screen; `at` if that is not worthwhile.

        Headings and landmarks are kept for orientation, unless `everything`: there are too many.
        """
        end = at
        count = size = 0
        while end < len(pieces) and (weight := self._weight(pieces[end])) is not None:
            node = pieces[end].node
            if node is not None and node.role in LANDMARKS and not everything:
                break
            count += weight[0]
            size += weight[1]
            end += 1
        return end if count / _FOLD_NODES + size / _FOLD_CHARS >= 1 else at

    def is_far(self, piece: Piece) -> bool:
        """Whether nothing of it is on screen or has the focus."""
        return self._weight(piece) is not None

    def _weight(self, piece: Piece) -> tuple[int, int] | None:
        """The number of elements and of characters in an item; None if any of it is on screen or has the focus."""
        node = piece.node
        if node is None:
            return (0, len(piece.text)) if piece.far else None
        if not node.offscreen:
            return None
        key = (piece.frame, node.ref)
        if key not in self._weights:
            self._weights[key] = _weigh(node)
        return self._weights[key]


def identifies_contents(node: Node) -> bool:
    """Whether only this element identifies its content: the row of a button, a named region."""
    return node.role in ("row", "listitem", "iframe") or (bool(node.name) and node.role in LANDMARKS)


def run_length(pieces: list[Piece], at: int) -> int:
    """The length of the run of similar elements that begins here."""
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


def count(pieces: Sequence[Piece]) -> str:
    """A count in a few words: `14 links, 3 buttons, text`."""
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
        chars = 0
        for child in node.children:
            if isinstance(child, str):
                chars += len(child)
            else:
                stack.append(child)
        size += chars
        if node.role in _COUNTED or node.clickable:
            counts[node.role] += 1
        elif node.children or not is_plain(node):
            others += 1
        texts += chars > 0 and node.role not in INTERACTIVE
    words = [plural(role, count) for role, count in counts.most_common(4)]
    if len(counts) > 4:
        words.append("others")
    if texts and (not words or size > _BRIEF_CHARS):
        words.append(f"{texts:,} text{'s' if texts != 1 else ''}")
    elif not words:
        words.append(f"{others:,} element{'s' if others != 1 else ''}")
    return ", ".join(words)


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
