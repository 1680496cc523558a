"""A part of a page as text, Markdown or HTML."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Read(Answer):
    """A part of what was read: `content`, from character `start` of `length`.

    `url` is the document's; `ref` identifies the element that was read, if one was named.
    """

    url: str
    title: str | None
    content: str
    start: int
    length: int
    ref: str | None = None

    def text(self) -> str:
        """The content, and where to continue if it was cut."""
        end = self.start + len(self.content)
        if end >= self.length and self.start == 0:
            return self.content
        more = f"; continue with start={end}" if end < self.length else ""
        return f"{self.content}\n\n[characters {self.start}-{end} of {self.length}{more}]"
