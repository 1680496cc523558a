"""Sinks that take lines until their limit is reached."""

from __future__ import annotations

from typing import Protocol

import attrs

from kapture.snapshot.content import Piece

CELLS_CHARS = 160
"""Limit of a line of several cells, in characters."""


@attrs.frozen
class Line:
    """One line: `text` as in the outline, without indentation.

    It is about `about` (a text or an element), includes the `inline` elements, and ends with `hint`; a line about
    nothing consists of a hint only. `problem`: why nothing is shown of a frame. `cell`: what the text begins with, if
    the next one that begins so may stand beside it, `button "1" ref=e1 | "2" ref=e2`.
    """

    depth: int
    text: str
    about: Piece | None = None
    inline: tuple[Piece, ...] = ()
    hint: str = ""
    problem: str = ""
    cell: str = ""


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
        self._continued: str | None = None  # what the next cell that continues the last line begins with

    def add(self, line: Line) -> None:
        """Add one line."""
        written = f"{'  ' * line.depth}{line.text}"
        lead, _, rest = written.partition(f"{line.cell} ") if line.cell else ("", "", "")
        beginning = f"{lead}{line.cell}" if line.cell else None
        if beginning is not None and beginning == self._continued:
            more = f" | {rest}"
            if len(self.lines[-1]) + len(more) <= CELLS_CHARS:
                if self.used + len(more) > self.limit:
                    raise Full
                self.used += len(more)
                self.lines[-1] += more
                return
        self._continued = beginning
        if self.used + len(written) + 1 > self.limit:
            raise Full
        self.used += len(written) + 1
        self.lines.append(written)

    def mark(self) -> Mark:
        """The current position."""
        self._continued = None
        return Mark(len(self.lines), self.used)

    def back_to(self, mark: Mark) -> None:
        """Drop the lines since a mark."""
        del self.lines[mark.lines :]
        self.used = mark.used
        self._continued = None


class Prefixed:
    """A sink that writes to another one, with a mark before each line."""

    def __init__(self, sink: TextSink, mark: str) -> None:
        self._sink = sink
        self._mark = mark

    @property
    def used(self) -> int:
        """The characters of the sink that it writes to."""
        return self._sink.used

    @used.setter
    def used(self, value: int) -> None:
        self._sink.used = value

    def add(self, line: Line) -> None:
        """Add one line, marked."""
        self._sink.add(attrs.evolve(line, depth=0, text=f"{self._mark}{'  ' * line.depth}{line.text}"))
