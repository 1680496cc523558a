"""Scroll positions."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Scrolled(Answer):
    """The position, and the maximum, in CSS pixels. `moved` False: it was there already; `others` can be scrolled."""

    what: str
    x: int
    y: int
    max_x: int
    max_y: int
    moved: bool
    others: list[str] = attrs.field(factory=list)

    def text(self) -> str:
        """One line."""
        across = f", x {self.x} of {self.max_x}" if self.max_x else ""
        position = f"y {self.y} of {self.max_y}{across}"
        if self.moved:
            return f"scrolled {self.what}: {position}"
        others = f"; what can be scrolled: {', '.join(self.others)}" if self.others else ""
        return f"{self.what} did not scroll: {position}{others}"
