"""Where lines go, and when nothing more fits."""

from __future__ import annotations

from typing import Protocol

import attrs

from kapture.snapshot.content import Piece


@attrs.frozen
class Line:
    """One line: `text` as the outline writes it, without indentation.

    It is about `about` (a text or an element), tells `inline` on the same line, and ends with `hint`, which is all
    there is on lines about nothing. `problem`: why nothing is told of a frame.
    """

    depth: int
    text: str
    about: Piece | None = None
    inline: tuple[Piece, ...] = ()
    hint: str = ""
    problem: str = ""


class Full(Exception):  # noqa: N818  not an error: the limit is reached
    """Nothing more fits."""


class Sink(Protocol):
    """Takes lines; `Full` when one does not fit any more."""

    used: int

    def add(self, line: Line) -> None:
        """Take one line."""


@attrs.frozen
class Mark:
    """How far a sink has come."""

    lines: int
    used: int


class TextSink:
    """An indented text of at most `limit` characters."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self.lines: list[str] = []

    def add(self, line: Line) -> None:
        """Take one line."""
        written = f"{'  ' * line.depth}{line.text}"
        if self.used + len(written) + 1 > self.limit:
            raise Full
        self.used += len(written) + 1
        self.lines.append(written)

    def mark(self) -> Mark:
        """Where the next line goes."""
        return Mark(len(self.lines), self.used)

    def back_to(self, mark: Mark) -> None:
        """Drop the lines since a mark."""
        del self.lines[mark.lines :]
        self.used = mark.used
