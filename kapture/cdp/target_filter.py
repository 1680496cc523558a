"""`Target.TargetFilter`: which targets a CDP client is notified of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from kapture.errors import ErrorCode, KaptureError

Filter: TypeAlias = Sequence[Mapping[str, Any]]

DEFAULT_FILTER: Filter = ({"type": "browser", "exclude": True}, {"type": "tab", "exclude": True}, {})
"""Chromium's default (`Target.TargetFilter` in the protocol)."""


def filter_of(params: Mapping[str, Any]) -> Filter | None:
    """The `filter` of a command; None if it has none, `INVALID_PARAMS` if it is malformed."""
    given = params.get("filter")
    if given is None or (isinstance(given, list) and all(isinstance(entry, dict) for entry in given)):
        return given
    raise KaptureError(
        ErrorCode.INVALID_PARAMS,
        "filter must be a list of objects.",
        hint="Give Target.FilterEntry objects: {type?, exclude?}.",
    )


def passes(filters: Filter, kind: str) -> bool:
    """Whether targets of this type pass: the first entry for the type decides."""
    for entry in filters:
        if entry.get("type") in (None, kind):
            return not entry.get("exclude", False)
    return False
