"""`Target.TargetFilter`: which targets a CDP client is to hear of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Filter: TypeAlias = Sequence[Mapping[str, Any]]

DEFAULT_FILTER: Filter = ({"type": "browser", "exclude": True}, {"type": "tab", "exclude": True}, {})
"""Chromium's default (`Target.TargetFilter` in the protocol)."""


def passes(filters: Filter, kind: str) -> bool:
    """Whether targets of this type pass: the first entry for the type decides."""
    for entry in filters:
        if entry.get("type") in (None, kind):
            return not entry.get("exclude", False)
    return False
