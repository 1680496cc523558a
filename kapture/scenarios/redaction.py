"""Secret values taken out of whatever a run says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SHORT = 4


class Redaction:
    """Replaces values of secrets by `{{name}}`. A short value is replaced only where it stands as a word."""

    def __init__(self) -> None:
        self._patterns: list[tuple[re.Pattern[str], str]] = []

    def add(self, secrets: Mapping[str, str]) -> None:
        """Values to take out from now on."""
        for name, value in secrets.items():
            if value:
                quoted = re.escape(value)
                pattern = quoted if len(value) >= _SHORT else rf"(?<!\w){quoted}(?!\w)"
                self._patterns.append((re.compile(pattern), f"{{{{{name}}}}}"))
        self._patterns.sort(key=lambda one: len(one[0].pattern), reverse=True)

    def __call__(self, value: Any) -> Any:
        """The JSON value without them."""
        if isinstance(value, str):
            for pattern, name in self._patterns:
                value = pattern.sub(name, value)  # names hold no backslash
            return value
        if isinstance(value, Mapping):
            return {self(key): self(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self(item) for item in value]
        return value
