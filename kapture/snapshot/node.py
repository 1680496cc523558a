"""One element of a page as the accessibility tree shows it: the agent's node, decoded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

State: TypeAlias = bool | int | float | str


class Node(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """An element: what it is, what it says of itself, and what is in it, in the order of reading.

    See docs/ARCHITECTURE.md, "The agent's tree". A page can have thousands, so this is a msgspec struct, which is
    decoded and compared in C.
    """

    role: str
    ref: int
    name: str = ""
    states: dict[str, State] = {}
    value: str | int | float | None = None
    url: str | None = None
    description: str | None = None
    frame: str | None = None  # role iframe: the key of the frame it shows
    offscreen: bool = False
    clickable: bool = False
    hidden: bool = False
    hint: tuple[str, str] | None = None  # what tells a nameless element apart: ("icon", "trash")
    children: tuple[Node | str, ...] = ()

    def own(self) -> Node:
        """The same without its children."""
        return msgspec.structs.replace(self, children=())

    def with_children(self, children: tuple[Node | str, ...]) -> Node:
        """The same with other children."""
        return msgspec.structs.replace(self, children=children)

    def nodes(self) -> Iterator[Node]:
        """This node and all below it, in document order."""
        if not self.children:
            yield self
            return
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            if node.children:
                stack.extend([child for child in reversed(node.children) if not isinstance(child, str)])
