"""What of a page to show, and the places where one snapshot stops and the next goes on."""

from __future__ import annotations

import attrs

from kapture.page.ref import Key, ref_text

MAX_DEPTH = 40
"""Levels shown at once; what is deeper is reached with `root`."""


@attrs.frozen(kw_only=True)
class Options:
    """What of a tree to show. `root`: only what is in this element; `start`: continue where an earlier one stopped.

    `by_start`: what is left out is reached by `start` alone, never by `root`, for clients that have no other.
    `known_furniture`: digests of the parts of the site that the client has been shown (kapture/snapshot/furniture.py).
    """

    root: Key | None = None
    start: Position | None = None
    depth: int | None = None
    interactive_only: bool = False
    viewport_only: bool = False
    max_chars: int = 20_000
    by_start: bool = False
    known_furniture: frozenset[str] = frozenset()


@attrs.frozen
class Position:
    """Where to go on: at an element, or at the `item`-th thing inside it (from 0; a text has no ref of its own)."""

    key: Key
    item: int | None = None

    def __str__(self) -> str:
        return ref_text(*self.key) + ("" if self.item is None else f":{self.item}")
