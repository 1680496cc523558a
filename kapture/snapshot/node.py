"""One element of a page's accessibility tree, decoded from the agent's node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

State: TypeAlias = bool | int | float | str

OWN_HINTS = frozenset({"icon", "colour", "id"})
"""Hints that say what an element is; others say where it is."""

_NODE_BYTES = 320
"""The size of a node without content: the struct, its name, its tuple and an empty mapping."""


class Node(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An element: its role, its properties, and its content in reading order.

    A page can have thousands, so this is a msgspec struct, which is decoded and compared in C. The order of the fields
    is the agent's (kapture/page/agent/snapshot/sent_tree.js): rarely used ones come last.
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
    frame: str | None = None  # role iframe: the key of its frame
    hint: tuple[str, str] | None = None  # identifies a nameless element: ("icon", "trash")
    hidden: bool = False

    def facts(self) -> dict[str, Any]:
        """Its role and properties that differ from the defaults, by name, as JSON."""
        return {
            field: value
            for field, default in _FACTS.items()
            if (value := getattr(self, field)) != default or field == "role"
        }

    def held_bytes(self) -> int:
        """Estimated bytes of this node and its descendants: a constant for each, and the texts."""
        return _NODE_BYTES * sum(1 for _ in self.nodes()) + len(msgspec.msgpack.encode(self))

    def own(self) -> Node:
        """This node without its children."""
        return msgspec.structs.replace(self, children=())

    def with_children(self, children: tuple[Node | str, ...]) -> Node:
        """This node with other children."""
        return msgspec.structs.replace(self, children=children)

    def nodes(self) -> Iterator[Node]:
        """This node and its descendants, in document order."""
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
