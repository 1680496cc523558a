"""The `chrome` profile."""

from __future__ import annotations

from kapture.mcp.profiles.table import Row

ROWS: tuple[Row, ...] = ()
