"""The results of waiting."""

from __future__ import annotations

import json
from typing import Any

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class FunctionReturned(Answer):
    """The truthy value."""

    value: Any
    waited_ms: int

    def text(self) -> str:
        """One line."""
        shown = self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)
        return f"{shown} (after {self.waited_ms} ms)"


@attrs.frozen(kw_only=True)
class Waited(Answer):
    """What is true now. `element` is the first match, if an element was waited for and exists."""

    seen: list[str]
    waited_ms: int
    element: dict[str, Any] | None = None
    download: dict[str, Any] | None = None

    def text(self) -> str:
        """What is true now, and how long it took."""
        return f"{'; '.join(self.seen)} (after {self.waited_ms} ms)"
