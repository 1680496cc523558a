"""Keys that were typed or pressed."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Keyed(Answer):
    """What was done, and what has the focus."""

    done: str
    element: str | None = None

    def text(self) -> str:
        """One line."""
        return f"{self.done} {self.element}" if self.element else self.done
