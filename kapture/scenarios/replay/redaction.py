"""Removes secret values from everything that a run reports, also in URL-, JSON- and HTML-encoded form."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec

from kapture.scenarios.parameters.placeholders import encoded

_SHORT = 4


class Redaction:
    """Replaces values of secrets by `{{name}}`. A short value is replaced only where it is a whole word."""

    def __init__(self) -> None:
        self._patterns: list[tuple[re.Pattern[str], str]] = []

    def add(self, secrets: Mapping[str, str]) -> None:
        """Add values to remove from now on."""
        for name, value in secrets.items():
            for written in dict.fromkeys(_written(value)) if value else ():
                quoted = re.escape(written)
                pattern = quoted if len(value) >= _SHORT else rf"(?<!\w){quoted}(?!\w)"
                self._patterns.append((re.compile(pattern), f"{{{{{name}}}}}"))
        self._patterns.sort(key=lambda one: len(one[0].pattern), reverse=True)

    def __bool__(self) -> bool:
        """Whether there is any secret to remove."""
        return bool(self._patterns)

    def finds_in(self, data: Any) -> bool:
        """Whether data that can be written as JSON holds a secret."""
        text = msgspec.json.encode(data).decode() if self else ""
        return bool(self(text) != text)

    def __call__(self, value: Any) -> Any:
        """The JSON value without secrets."""
        if isinstance(value, str):
            for pattern, name in self._patterns:
                value = pattern.sub(name, value)  # names hold no backslash
            return value
        if isinstance(value, Mapping):
            return {self(key): self(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self(item) for item in value]
        return value


def _written(value: str) -> Iterator[str]:
    yield value
    in_address = (
        quote(value, safe="", errors="replace"),
        quote(value, safe="!'()*~", errors="replace"),  # encodeURIComponent
        quote_plus(value, safe="*", errors="replace"),  # a form's
        encoded(value),  # a scenario's
    )
    yield from in_address
    for once in in_address:  # in an address that another one holds
        yield quote(once, safe="", errors="replace")
        yield encoded(once)
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield html.escape(value)
    yield html.escape(value, quote=False)
