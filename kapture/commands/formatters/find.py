"""What was found on a page."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer
from kapture.snapshot.search import Match


@attrs.frozen(kw_only=True)
class FindAnswer(Answer):
    """Matches, best first; `total` counts those that are not given, too."""

    matches: list[Match]
    total: int
    near: list[str]

    def text(self) -> str:
        """One line a match."""
        if not self.matches:
            closest = f" Closest on the page: {', '.join(self.near)}." if self.near else ""
            return f"Nothing found.{closest}"
        lines = [match.line for match in self.matches]
        if self.total > len(lines):
            lines.append(f"… {self.total - len(lines):,} more")
        return "\n".join(lines)
