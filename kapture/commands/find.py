"""Finding elements on the page without a snapshot of all of it."""

from __future__ import annotations

from typing import Annotated

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.errors import ErrorCode, KaptureError
from kapture.snapshot.search import Match, search


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


@attrs.frozen(kw_only=True)
class Find:
    """Find elements by text, or by role and name."""

    text: Annotated[str | None, Meta(description="In its text, name or value.")] = None
    role: Annotated[str | None, Meta(description="ARIA role.")] = None
    name: Annotated[str | None, Meta(description="Accessible name, with role.")] = None
    exact: Annotated[bool, Meta(description="Match the whole text.")] = False
    max: Annotated[int, Meta(ge=1, le=100, description="At most this many.")] = 10


@command("find", access=Access.READ, idempotent=True, long=True)
async def find(tab: TabContext, params: Find) -> FindAnswer:
    """Search all granted frames at once."""
    if params.text is None and params.role is None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            "find requires text, or role (with name).",
            hint='For example {"text": "delivery"} or {"role": "button", "name": "Save"}.',
            data={"missing": "text"},
        )
    if params.text is not None and params.name is not None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            "find takes text or name, not both.",
            hint="text also searches names.",
            data={"parameters": ["text", "name"]},
        )
    given = {"text": params.text, "role": params.role, "name": params.name, "exact": params.exact}
    found = await search(tab.page, {key: value for key, value in given.items() if value is not None}, params.max)
    return FindAnswer(matches=found.matches, total=found.total, partial=found.partial, suggestions=found.suggestions)
