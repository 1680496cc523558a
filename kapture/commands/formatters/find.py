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
    suggestions: list[str]

    def text(self) -> str:
        """One line a match."""
        if not self.matches:
            closest = f" Similar on the page: {', '.join(self.suggestions)}." if self.suggestions else ""
            return f"No element found.{closest}"
        lines = [match.line for match in self.matches]
        if self.total > len(lines):
            lines.append(f"… {self.total - len(lines):,} more")
        return "\n".join(lines)
