"""Long matrices: `./dev test` runs a few of their rows, `./dev long` the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def few(rows: Iterable[str], *kept: str) -> list[Any]:
    """Mark all rows but those that are kept as long."""
    named = list(rows)
    assert set(kept) <= set(named)
    return [row if row in kept else pytest.param(row, marks=pytest.mark.long) for row in named]
