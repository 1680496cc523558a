"""Scroll positions."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Scrolled(Answer):
    """The position, and the maximum, in CSS pixels. `moved` False: it was there already."""

    what: str
    x: int
    y: int
    max_x: int
    max_y: int
    moved: bool

    def text(self) -> str:
        """One line."""
        across = f", x {self.x} of {self.max_x}" if self.max_x else ""
        position = f"y {self.y} of {self.max_y}{across}"
        return f"scrolled {self.what}: {position}" if self.moved else f"{self.what} did not scroll: {position}"
