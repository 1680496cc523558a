"""Entries of a site's storage."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Stored(Answer):
    """Entries that were read, or how many were changed. `cut` counts characters left out of long values."""

    action: str
    origin: str
    entries: dict[str, str] | None = None
    changed: int = 0
    cut: int = 0

    def text(self) -> str:
        """One line per entry, or one line on what was changed."""
        if self.entries is not None:
            lines = [f"{key}: {value}" for key, value in self.entries.items()] or [f"{self.origin} has no entries"]
            return "\n".join(lines) + (f"\n({self.cut} characters left out)" if self.cut else "")
        done = {"set": "set", "remove": "removed", "clear": "cleared"}[self.action]
        return f"{done} {self.changed} entr{'y' if self.changed == 1 else 'ies'} of {self.origin}"
