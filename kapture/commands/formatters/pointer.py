"""Actions of the pointer."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Pointed(Answer):
    """What was done, and to which element."""

    done: str
    element: str
    ref: str

    def text(self) -> str:
        """One line."""
        return f"{self.done} {self.element}"


@attrs.frozen(kw_only=True)
class MouseDone(Answer):
    """Where the pointer is now."""

    action: str
    x: float
    y: float

    def text(self) -> str:
        """One line."""
        return f"mouse {self.action} at {self.x:g}, {self.y:g}"


@attrs.frozen(kw_only=True)
class Dragged(Answer):
    """What was dragged, and where to. `moved` describes where the source is now; None if a point was dragged."""

    source: str
    target: str
    moved: str | None = None

    def text(self) -> str:
        """One line."""
        return f"dragged {self.source} {self.target}" + (f"; {self.moved}" if self.moved else "")
