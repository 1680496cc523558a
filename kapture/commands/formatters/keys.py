"""Keys that were typed or pressed."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Keyed(Answer):
    """What was done, and to which element. `note`: what a field holds now if that differs from what was typed."""

    done: str
    element: str | None = None
    note: str | None = None

    def text(self) -> str:
        """One line."""
        done = f"{self.done} {self.element}" if self.element else self.done
        return f"{done}; {self.note}" if self.note else done
