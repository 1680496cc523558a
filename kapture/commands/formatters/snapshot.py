"""A snapshot."""

from __future__ import annotations

import json
from typing import Any

import attrs

from kapture.commands.core.answer import Answer
from kapture.commands.formatters.page_tools import page_tool_count
from kapture.snapshot.view import Kind


@attrs.frozen(kw_only=True)
class SnapshotAnswer(Answer):
    """The page. `snapshot` is the outline, table or list of changes; `tree` is the same as JSON, with format json.

    `page_tools`: how many tools the page declares for agents; None if it declares none.
    """

    url: str
    title: str
    kind: Kind
    snapshot: str | None = None
    tree: dict[str, Any] | None = None
    next: str | None = None
    page_tools: int | None = None

    def text(self) -> str:
        """The page, with a note if it is not what was requested."""
        if self.tree is not None:
            return json.dumps(self.tree, ensure_ascii=False, separators=(",", ":"))
        tools = f"the page declares {page_tool_count(self.page_tools)}" if self.page_tools else ""
        return "\n".join(filter(None, [self.snapshot, tools]))
