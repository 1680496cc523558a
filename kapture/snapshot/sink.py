"""Sinks that take lines until their limit is reached."""

from __future__ import annotations

from typing import Protocol

import attrs

from kapture.snapshot.content import Piece


@attrs.frozen
class Line:
    """One line: `text` as in the outline, without indentation.

    It is about `about` (a text or an element), includes the `inline` elements, and ends with `hint`; a line about
    nothing consists of a hint only. `problem`: why nothing is shown of a frame.
    """

    depth: int
    text: str
    about: Piece | None = None
    inline: tuple[Piece, ...] = ()
    hint: str = ""
    problem: str = ""


class Full(Exception):  # noqa: N818  not an error: the limit is reached
    """The limit is reached."""


class Sink(Protocol):
    """Takes lines; raises `Full` if one does not fit any more."""

    used: int

    def add(self, line: Line) -> None:
        """Add one line."""


@attrs.frozen
class Mark:
    """A position in a sink."""

    lines: int
    used: int


class TextSink:
    """An indented text of at most `limit` characters."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self.lines: list[str] = []

    def add(self, line: Line) -> None:
        """Add one line."""
        written = f"{'  ' * line.depth}{line.text}"
        if self.used + len(written) + 1 > self.limit:
            raise Full
        self.used += len(written) + 1
        self.lines.append(written)

    def mark(self) -> Mark:
        """The current position."""
        return Mark(len(self.lines), self.used)

    def back_to(self, mark: Mark) -> None:
        """Drop the lines since a mark."""
        del self.lines[mark.lines :]
        self.used = mark.used
