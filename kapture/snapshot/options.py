"""Which part of a page to show, and the positions where a snapshot stops and the next continues."""

from __future__ import annotations

import attrs

from kapture.page.documents.frame import Key, ref_text

MAX_DEPTH = 40
"""Levels shown at once; deeper ones are shown with `root`."""


@attrs.frozen(kw_only=True)
class Options:
    """Which part of a tree to show. `root`: only the content of this element; `start`: continue from an earlier
    snapshot.

    `by_start`: what is left out is shown with `start` alone, never with `root`, for clients without that parameter.
    """

    root: Key | None = None
    start: Position | None = None
    depth: int | None = None
    interactive_only: bool = False
    viewport_only: bool = False
    max_chars: int = 20_000
    by_start: bool = False


@attrs.frozen
class Position:
    """Where to continue: at an element, or at the `item`-th item inside it (from 0; a text has no ref of its own)."""

    key: Key
    item: int | None = None

    def __str__(self) -> str:
        return ref_text(*self.key) + ("" if self.item is None else f":{self.item}")
