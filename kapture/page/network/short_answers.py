"""Answers that come with their headers: of a `fetch` whose body the page does not read, Chromium reports no end."""

from __future__ import annotations

from collections.abc import Mapping

_SHORT_BYTES = 65_536


def is_short(headers: Mapping[str, str]) -> bool:
    """Whether a response with these headers says how long it is, and that is little."""
    for name, value in headers.items():
        if name.casefold() == "content-length":
            return value.isascii() and value.isdecimal() and int(value[:12]) <= _SHORT_BYTES
    return False
