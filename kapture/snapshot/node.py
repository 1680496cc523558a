"""One element of a page as the accessibility tree shows it: the agent's node, decoded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

State: TypeAlias = bool | int | float | str

_NODE_BYTES = 320
"""A node with nothing in it: the struct, its name, its tuple and an empty mapping."""


class Node(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An element: what it is, what it says of itself, and what is in it, in the order of reading.

    A page can have thousands, so this is a msgspec struct, which is decoded and compared in C. The order of the fields
    is that of the agent (kapture/page/agent/accessibility/sent_tree.js): what is seldom there comes last.
    """

    role: str
    ref: int
    name: str = ""
    children: tuple[Node | str, ...] = ()
    offscreen: bool = False
    states: dict[str, State] = {}
    url: str | None = None
    clickable: bool = False
    value: str | int | float | None = None
    description: str | None = None
    frame: str | None = None  # role iframe: the key of the frame it shows
    hint: tuple[str, str] | None = None  # what tells a nameless element apart: ("icon", "trash")
    hidden: bool = False

    def facts(self) -> dict[str, Any]:
        """What it is and says of itself, by name, as JSON has it: its role, and what is not as it mostly is."""
        return {
            field: value
            for field, default in _FACTS.items()
            if (value := getattr(self, field)) != default or field == "role"
        }

    def held_bytes(self) -> int:
        """What this node and all below it take in memory, estimated: a constant for each, and the texts."""
        return _NODE_BYTES * sum(1 for _ in self.nodes()) + len(msgspec.msgpack.encode(self))

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


_FACTS: Mapping[str, Any] = {
    "role": "",
    "name": "",
    "states": {},
    "value": None,
    "url": None,
    "description": None,
    "frame": None,
    "offscreen": False,
    "clickable": False,
    "hidden": False,
    "hint": None,
}
