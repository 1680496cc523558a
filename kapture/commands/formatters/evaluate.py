"""The value of a script."""

from __future__ import annotations

import json
from typing import Any

import attrs

from kapture.commands.core.answer import Answer

LIMIT = 256 * 1024


@attrs.frozen(kw_only=True)
class Evaluated(Answer):
    """The value. `type` is its JavaScript type or class ("undefined", "number", "Map", …).

    DOM nodes are described with refs. `truncated`: parts beyond 256 kB were left out.
    """

    value: Any
    type: str
    truncated: bool = False

    def text(self) -> str:
        """Strings as they are, except the empty one as `""`; everything else as JSON."""
        if self.type == "undefined":
            return "undefined"
        is_text = isinstance(self.value, str) and self.value != ""
        shown = self.value if is_text else json.dumps(self.value, ensure_ascii=False)
        return f"{shown}\n(cut: the value is larger than {LIMIT // 1024} kB)" if self.truncated else shown
