"""The content of an element, without what carries no information.

Pages wrap and repeat: paragraphs around one text, a label's text next to the field that has it as its name, a link's
text inside the link. `Content.of` returns what remains, in order, with wrappers folded and repetitions dropped. It does
not depend on the output format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import msgspec

from kapture.page.documents.frame import Key
from kapture.snapshot.node import Node
from kapture.snapshot.quoting import flat
from kapture.snapshot.roles import (
    ADDRESSED,
    BARE,
    CELLS,
    INLINE,
    INTERACTIVE,
    LABELLED,
    LIST_HOLDERS,
    NAMED_BY_CONTENT,
    SLIM,
    VALUED,
    WRAPPERS,
)
from kapture.snapshot.tree import Tree

_ACTED_ON_STATES = frozenset({"checked", "draggable", "expanded", "haspopup", "pressed", "scrollable", "selected"})


_LABEL_ENDS = " :*\u00a0"


class Piece(msgspec.Struct, frozen=True, gc=False):
    """One item of content: an element, or (`node` None) a text.

    `source` is the ref number of its element, `far` whether that one is off screen. A struct like `Node`, because a
    long page has as many of them.
    """

    frame: str
    node: Node | None
    text: str = ""
    source: int = 0
    far: bool = False


def acts(node: Node) -> bool:
    """Whether people interact with it. A separator that has a value divides two panes, and can be moved."""
    return node.clickable or node.role in INTERACTIVE or (node.role == "separator" and node.value is not None)


def is_plain(node: Node) -> bool:
    """Whether only its content matters."""
    return not (node.name or node.states or node.clickable or node.description or node.hidden or node.value is not None)


def bears_ref(node: Node) -> bool:
    """Whether the outline shows its ref: for what can be acted on, opened, or shown by itself."""
    return (
        acts(node)
        or node.role in ADDRESSED
        or node.frame is not None
        or not _ACTED_ON_STATES.isdisjoint(node.states)
        or bool(node.states.get("focused"))
    )


def is_closed_choice(node: Node) -> bool:
    """Whether only its text is shown: a list of choices that is not open."""
    return node.role == "combobox" and node.states.get("expanded") is not True


def is_slim(node: Node) -> bool:
    """Whether content of one line needs no word on the element itself: a paragraph, a list item."""
    return node.role in SLIM and is_plain(node)


def is_cell(node: Node) -> bool:
    """A cell of a table that is nothing but its contents."""
    if node.role not in CELLS or node.clickable or node.description or node.value is not None:
        return False
    return is_echo(node) and not any(value for key, value in node.states.items() if key not in ("readonly", "required"))


def _is_named_by_content(node: Node) -> bool:
    """Whether a name that says as much replaces the content: that of a cell only if it says more, as a day's date."""
    return node.role in NAMED_BY_CONTENT or (node.role == "gridcell" and not is_echo(node))


def is_echo(node: Node) -> bool:
    """Whether the name only repeats the element's content."""
    name = without_space(node.name)
    return not name or name == without_space(text_of(node)) or name == without_space(text_of(node, values=True))


def is_repeated(node: Node, pieces: Iterable[Piece]) -> bool:
    """Whether the name only repeats what is shown of the element's content."""
    shown = (piece.text if piece.node is None else text_of(piece.node) or piece.node.name for piece in pieces)
    return is_echo(node) and without_space(node.name) == without_space("".join(shown))


def text_of(node: Node, *, values: bool = False) -> str:
    """The text of an element, in order: its texts, and the names of elements without text.

    `values`: fields count by their values, as in the name of an element that is named by its content
    (https://www.w3.org/TR/accname-1.2/#comp_embedded_control).
    """
    texts: list[str] = []
    stack: list[Node | str] = list(reversed(node.children))
    while stack:
        child = stack.pop()
        if isinstance(child, str):
            texts.append(child)
        elif values and child.role in VALUED:
            texts.append("" if child.value is None else str(child.value))
        elif child.children and not (child.name and child.role in INTERACTIVE):
            stack.extend(reversed(child.children))
        else:
            texts.append(child.name)
    return " ".join(texts)


class Content:
    """The contents of a tree's elements, each computed once."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._known: dict[tuple[str, int], list[Piece]] = {}

    @cached_property
    def repeated(self) -> set[str]:
        """Names shared by links with different URLs: `Read more`."""
        first: dict[str, str] = {}
        repeated: set[str] = set()
        stack = [view.root for view in self.tree.frames.values() if view.root is not None]
        while stack:
            node = stack.pop()
            if node.role == "link" and node.url is not None and first.setdefault(node.name, node.url) != node.url:
                repeated.add(node.name)
            if node.children:
                stack += [child for child in node.children if not isinstance(child, str)]
        return repeated

    def of(self, frame: str, node: Node) -> list[Piece]:
        """The content of this element."""
        key = (frame, node.ref)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._work_out(frame, node)
        return known

    def shown(self) -> set[Key]:
        """All elements that remain: not hidden by a wrapper, a repetition or a closed list of choices."""
        root = self.tree.main.root
        keys: set[Key] = set()
        todo = [] if root is None else [("", root)]
        while todo:
            for piece in self.of(*todo.pop()):
                if piece.node is not None:
                    keys.add((piece.frame, piece.node.ref))
                    if not is_closed_choice(piece.node):
                        todo.append((piece.frame, piece.node))
        return keys

    def _work_out(self, frame: str, node: Node) -> list[Piece]:
        pieces = self._flow(frame, node)
        if not pieces:
            return pieces
        if node.name and _is_named_by_content(node) and self._is_repeated_by(node, pieces):
            return []
        name = flat(node.name)
        kept: list[Piece] = []
        is_bare = is_cell(node) and any(piece.node is not None for piece in pieces)  # its name is not shown
        for at, piece in enumerate(pieces):
            if (
                piece.node is None
                and not is_bare
                and (piece.text == name or (name and node.role in NAMED_BY_CONTENT and piece.text in name))
            ):
                continue
            if piece.node is None and _labels_neighbour(pieces, at):
                continue
            if piece.node is not None and piece.node.role in BARE and name and flat(text_of(piece.node)) == name:
                continue
            kept.append(piece)
        only = kept[0].node if len(kept) == 1 else None
        if only is not None and only.role == "list" and is_plain(only) and node.role in LIST_HOLDERS:
            return self.of(kept[0].frame, only)
        return kept

    def _flow(self, frame: str, node: Node) -> list[Piece]:
        """Wrappers replaced by their content, texts of one line joined, frames in place of their elements."""
        out: list[Piece] = []
        joins = False  # whether the next text continues the last one's line
        stack: list[tuple[str, Node, Iterator[Node | str]]] = [(frame, node, iter(node.children))]
        for view in reversed(self.tree.framed(node)) if node.frame is not None else ():
            if view.root is not None and view.key != frame:
                stack.append((view.key, view.root, iter(view.root.children)))
        while stack:
            where, source, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                joins = joins and bool(stack)
            elif isinstance(child, str):
                text = flat(child)
                if text and joins and out and out[-1].node is None and out[-1].frame == where:
                    out[-1] = msgspec.structs.replace(out[-1], text=f"{out[-1].text} {text}")
                elif text:
                    out.append(Piece(where, None, text, source.ref, source.offscreen))
                joins = False
            elif is_plain(child) and child.role in INLINE:
                joins = True
                stack.append((where, child, iter(child.children)))
            elif is_plain(child) and child.role in WRAPPERS:
                joins = False
                stack.append((where, child, iter(child.children)))
            else:
                joins = False
                out.append(Piece(where, child, "", child.ref, child.offscreen))
        return out

    def _is_repeated_by(self, node: Node, pieces: list[Piece]) -> bool:
        """Whether the name of an element contains all of its content's text, and nothing in it is interactive."""
        name = without_space(node.name)
        for piece in pieces:
            if piece.node is None:
                if without_space(piece.text) not in name:
                    return False
                continue
            for below in piece.node.nodes():
                if below.role in INTERACTIVE or below.frame is not None or below.value is not None:
                    return False
                if below.clickable and not (below.name or text_of(below)):
                    return False  # an icon that does something else
                texts = [below.name, *(child for child in below.children if isinstance(child, str))]
                if any(without_space(text) not in name for text in texts):
                    return False
        return True


def without_space(text: str) -> str:
    """The text as it is shown, without white space, for comparing names with the texts they were made of."""
    return "".join(flat(text).split())


def _labels_neighbour(pieces: list[Piece], at: int) -> bool:
    """Whether a text only repeats the name of the element right before or after it."""
    text = pieces[at].text.rstrip(_LABEL_ENDS)
    for near in (at + 1, at - 1):
        if 0 <= near < len(pieces):
            node = pieces[near].node
            if node is not None and node.role in LABELLED and flat(node.name).rstrip(_LABEL_ENDS) == text and text:
                return True
    return False
