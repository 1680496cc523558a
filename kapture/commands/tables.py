"""Tables of a page, as rows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.core.targets import OptionalTarget, Targeted
from kapture.commands.formatters.tables import TableRows
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.execution_context import ContextGone
from kapture.page.documents.frame import Frame


@attrs.frozen(kw_only=True)
class Table(Targeted):
    """Read a table of the page as rows."""

    target: Annotated[
        OptionalTarget, Meta(description="The table, or anything in it; optional if there is only one.")
    ] = None
    format: Literal["toon", "json"] = "toon"
    max_rows: Annotated[int, Meta(ge=1, le=10_000)] = 200
    start: Annotated[int, Meta(ge=0, description="First row, from 0.")] = 0


@command("table", access=Access.READ, toolset="more")
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
