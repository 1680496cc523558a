"""Rows of a table."""

from __future__ import annotations

import json
from typing import Literal

import attrs
import toons

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class TableRows(Answer):
    """Rows `start` to `start + len(rows)` of `total`, each a list of texts by `columns`.

    `stated` is the number of rows that the page declares when it shows only some of them.
    """

    ref: str
    caption: str
    columns: list[str]
    rows: list[list[str]]
    start: int
    total: int
    stated: int | None = None
    format: Literal["toon", "json"] = "toon"

    def text(self) -> str:
        """A heading, the rows, and where to continue."""
        head = f"table {self.caption!r} ref={self.ref}" if self.caption else f"table ref={self.ref}"
        end = self.start + len(self.rows)
        more = f"; continue with start={end}" if end < self.total else ""
        head += f", rows {self.start}-{end} of {self.total}{more}"
        if self.stated is not None:
            head += f" (the page states {self.stated} rows: scroll to load more)"
        records = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        if self.format == "json":
            return f"{head}\n{json.dumps(records, ensure_ascii=False)}"
        return f"{head}\n{toons.dumps({'rows': records})}" if records else f"{head}\ncolumns: {', '.join(self.columns)}"
