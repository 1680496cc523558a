"""Tables of a page, as rows."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import attrs
import toons
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import OptionalTarget, Targeted
from kapture.commands.core.registry import Access, command
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.frame import ContextGone, Frame


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


@attrs.frozen(kw_only=True)
class Table(Targeted):
    """Read a table of the page as rows."""

    target: Annotated[
        OptionalTarget, Meta(description="The table, or anything in it; optional if there is only one.")
    ] = None
    format: Literal["toon", "json"] = "toon"
    max_rows: Annotated[int, Meta(ge=1, le=10_000)] = 200
    start: Annotated[int, Meta(ge=0, description="First row, from 0.")] = 0


@command("table", access=Access.READ, toolset="more", long=True)
async def table(tab: TabContext, params: Table) -> TableRows:
    """Read one table: the given one, or the only one on the page."""
    target = params.element
    if target is None:
        frame, number = await _only_table(tab)
    else:
        element = await tab.page.locate(target)
        frame, number = element.frame, element.number
    answer = await frame.call("tableRows", {"ref": number, "start": params.start, "count": params.max_rows})
    return TableRows(
        ref=frame.ref(answer["ref"]),
        caption=answer["caption"],
        columns=answer["columns"],
        rows=answer["rows"],
        start=params.start,
        total=answer["total"],
        stated=answer.get("stated"),
        format=params.format,
    )


async def _only_table(tab: TabContext) -> tuple[Frame, int]:
    found: list[tuple[Frame, dict[str, Any]]] = []
    for frame in tab.page.frames.all():
        if frame.granted and not (frame.parent and frame.why_silent):
            try:
                found += [(frame, one) for one in await frame.call("listTables", {})]
            except ContextGone:
                if frame.parent is None:
                    raise
    if not found:
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_FOUND,
            "The page has no table.",
            hint="Read lists and cards with get_text, read_as_markdown or snapshot.",
        )
    if len(found) > 1:
        candidates = [
            {"ref": frame.ref(one["ref"]), "caption": one["caption"], "columns": one["columns"], "rows": one["rows"]}
            for frame, one in found[:10]
        ]
        named = "; ".join(f"{one['ref']} {one['caption'] or ', '.join(one['columns'])!r}" for one in candidates)
        raise KaptureError(
            ErrorCode.ELEMENT_AMBIGUOUS,
            f"The page has {len(found)} tables: {named}.",
            hint="Give the ref of one as target.",
            data={"count": len(found), "candidates": candidates},
        )
    frame, only = found[0]
    return frame, only["ref"]
