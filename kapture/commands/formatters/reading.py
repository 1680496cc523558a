"""A stretch of text, Markdown or HTML."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Read(Answer):
    """A stretch of what was read: `content`, from character `start` of `length`.

    `url` is that of the document; `ref` names the element that was read, if one was named.
    """

    url: str
    title: str | None
    content: str
    start: int
    length: int
    ref: str | None = None

    def text(self) -> str:
        """The content alone, and where to go on if it was cut."""
        end = self.start + len(self.content)
        if end >= self.length and self.start == 0:
            return self.content
        more = f"; continue with start={end}" if end < self.length else ""
        return f"{self.content}\n\n[characters {self.start}-{end} of {self.length}{more}]"
