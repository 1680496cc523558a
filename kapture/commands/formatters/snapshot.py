"""A snapshot."""

from __future__ import annotations

import json
from typing import Any

import attrs

from kapture.commands.core.answer import Answer
from kapture.snapshot.view import Kind


@attrs.frozen(kw_only=True)
class SnapshotAnswer(Answer):
    """The page. `snapshot` is the outline, table or list of changes; `tree` the same as JSON, with format json."""

    url: str
    title: str
    kind: Kind
    snapshot: str | None = None
    tree: dict[str, Any] | None = None
    next: str | None = None

    def text(self) -> str:
        """The page, with a note when it is not what was asked for."""
        if self.tree is not None:
            return json.dumps(self.tree, ensure_ascii=False, separators=(",", ":"))
        return self.snapshot or ""
