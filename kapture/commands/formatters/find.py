"""Elements found on a page."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer
from kapture.snapshot.search import Match


@attrs.frozen(kw_only=True)
class FindAnswer(Answer):
    """Matches, best first; `total` includes those left out, of which `partial` match only in part."""

    matches: list[Match]
    total: int
    partial: int
    suggestions: list[str]

    def text(self) -> str:
        """One line per match."""
        if not self.matches:
            closest = f" Similar on the page: {', '.join(self.suggestions)}." if self.suggestions else ""
            return f"No element found.{closest}"
        lines = list(dict.fromkeys(match.line for match in self.matches))
        if more := self.total - len(self.matches):
            partly = f", {self.partial:,} of them in part" if self.partial < more else ", in part"
            lines.append(f"… {more:,} more match{partly if self.partial else ''}: raise max, or give more of the text")
        return "\n".join(lines)
