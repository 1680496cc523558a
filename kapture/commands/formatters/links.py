"""Links as a table."""

from __future__ import annotations

import attrs
import toons

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Link:
    """One link."""

    href: str
    text: str
    ref: str


@attrs.frozen(kw_only=True)
class Links(Answer):
    """Links in the order of the page, each URL and text once. `total` includes those left out."""

    links: list[Link]
    total: int

    def text(self) -> str:
        """A TOON table."""
        if not self.links:
            return "No links."
        shown = toons.dumps({"links": [attrs.asdict(link) for link in self.links]})
        left = self.total - len(self.links)
        return f"{shown}\n({left} more: raise max, or narrow by include)" if left else shown
