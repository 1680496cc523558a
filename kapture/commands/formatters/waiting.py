"""What a wait ended with."""

from __future__ import annotations

import json
from typing import Any

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class FunctionReturned(Answer):
    """The true value."""

    value: Any
    waited_ms: int

    def text(self) -> str:
        """One line."""
        shown = self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)
        return f"{shown} (after {self.waited_ms} ms)"


@attrs.frozen(kw_only=True)
class Waited(Answer):
    """What holds now. `element` is the first match, if an element was waited for and there is one."""

    seen: list[str]
    waited_ms: int
    element: dict[str, Any] | None = None
    download: dict[str, Any] | None = None

    def text(self) -> str:
        """What holds, and how long it took."""
        return f"{'; '.join(self.seen)} (after {self.waited_ms} ms)"
