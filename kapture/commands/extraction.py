"""Taking data out of a page: links, and tables as rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import attrs
import toons
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.core.targets import OptionalTarget, Selector, chosen
from kapture.errors import ErrorCode, KaptureError
from kapture.page.agent_calls import DocumentGoneError
from kapture.page.frames import Frame
from kapture.page.routes import url_matches

_LINKS_A_FRAME = 10_000


@attrs.frozen(kw_only=True)
class ExtractLinks:
    """List the links of the page, or of one element: address, text and ref."""

    target: OptionalTarget = None
    selector: Selector = None
    same_origin_only: bool = False
    include: Annotated[list[str] | None, Meta(description="Globs: only URLs that match one, e.g. */docs/*.")] = None
    exclude: Annotated[list[str] | None, Meta(description="Globs: no URLs that match one.")] = None
    max: Annotated[int, Meta(ge=1, le=2_000)] = 200


@attrs.frozen(kw_only=True)
class Link:
    """One link."""

    href: str
    text: str
    ref: str


@attrs.frozen(kw_only=True)
class Links(Answer):
    """Links in the order of the page, each address and text once. `total` counts those left out, too."""

    links: list[Link]
    total: int

    def text(self) -> str:
        """A TOON table."""
        if not self.links:
            return "no links"
        shown = toons.dumps({"links": [attrs.asdict(link) for link in self.links]})
        left = self.total - len(self.links)
        return f"{shown}\n({left} more: raise max, or narrow by include)" if left else shown


@command("extract_links", access=Access.READ, toolset="more")
async def extract_links(tab: TabContext, params: ExtractLinks) -> Links:
    """Links of all granted frames, or within one element."""
    target = chosen(params.target, params.selector)
    main = tab.page.frames.main
    main.check_granted()
    origin = _origin(tab.page.url)
    found: list[Link] = []
    if target is None:
        for frame in tab.page.frames.all():
            if frame.granted:
                found += await _links_of(frame, {}, whole=frame is main)
    else:
        element = await tab.page.locate(target)
        found = await _links_of(element.frame, {"ref": element.number}, whole=True)
    chosen_links = [
        link
        for link in found
        if (not params.same_origin_only or _origin(link.href) == origin)
        and (params.include is None or _matches(link.href, params.include))
        and not _matches(link.href, params.exclude or ())
    ]
    return Links(links=chosen_links[: params.max], total=len(chosen_links))


async def _links_of(frame: Frame, args: dict[str, Any], *, whole: bool) -> list[Link]:
    try:
        told = await frame.call("readLinks", {**args, "max": _LINKS_A_FRAME})
    except DocumentGoneError:
        if whole:
            raise
        return []  # a frame that leaves takes its links along
    return [Link(href=one["href"], text=one["text"], ref=frame.ref(one["ref"])) for one in told["links"]]


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _matches(url: str, globs: Sequence[str]) -> bool:
    return any(url_matches(url, glob) for glob in globs)


@attrs.frozen(kw_only=True)
class Table:
    """Read a table of the page as rows."""

    target: Annotated[OptionalTarget, Meta(description="Table, or anything in it; not needed if there is one.")] = None
    selector: Selector = None
    format: Literal["toon", "json"] = "toon"
    max_rows: Annotated[int, Meta(ge=1, le=10_000)] = 200
    start: Annotated[int, Meta(ge=0, description="Row to start from.")] = 0


@attrs.frozen(kw_only=True)
class TableRows(Answer):
    """Rows `start` to `start + len(rows)` of `total`, each a list of texts by `columns`.

    `stated` is the number of rows that the page claims when it shows only some of them.
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
        """A heading, the rows, and where to go on."""
        head = f"table {self.caption!r} ref={self.ref}" if self.caption else f"table ref={self.ref}"
        end = self.start + len(self.rows)
        more = f"; go on with start={end}" if end < self.total else ""
        head += f", rows {self.start}-{end} of {self.total}{more}"
        if self.stated is not None:
            head += f" (the page says {self.stated}: scroll it to load others)"
        records = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        if self.format == "json":
            return f"{head}\n{json.dumps(records, ensure_ascii=False)}"
        return f"{head}\n{toons.dumps({'rows': records})}" if records else f"{head}\ncolumns: {', '.join(self.columns)}"


@command("table", access=Access.READ, toolset="more")
async def table(tab: TabContext, params: Table) -> TableRows:
    """Read one table: the one named, or the only one there is."""
    target = chosen(params.target, params.selector)
    if target is None:
        frame, number = await _only_table(tab)
    else:
        element = await tab.page.locate(target)
        frame, number = element.frame, element.number
    told = await frame.call("tableRows", {"ref": number, "start": params.start, "count": params.max_rows})
    return TableRows(
        ref=frame.ref(told["ref"]),
        caption=told["caption"],
        columns=told["columns"],
        rows=told["rows"],
        start=params.start,
        total=told["total"],
        stated=told.get("stated"),
        format=params.format,
    )


async def _only_table(tab: TabContext) -> tuple[Frame, int]:
    found: list[tuple[Frame, dict[str, Any]]] = []
    for frame in tab.page.frames.all():
        if frame.granted:
            try:
                found += [(frame, one) for one in await frame.call("listTables", {})]
            except DocumentGoneError:
                if frame.parent is None:
                    raise
    if not found:
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_FOUND,
            "The page shows no table.",
            hint="Lists and cards are read by get_text, read_as_markdown or snapshot.",
        )
    if len(found) > 1:
        candidates = [
            {"ref": frame.ref(one["ref"]), "caption": one["caption"], "columns": one["columns"], "rows": one["rows"]}
            for frame, one in found[:10]
        ]
        said = "; ".join(f"{one['ref']} {one['caption'] or ', '.join(one['columns'])!r}" for one in candidates)
        raise KaptureError(
            ErrorCode.ELEMENT_AMBIGUOUS,
            f"The page shows {len(found)} tables: {said}.",
            hint="Name one by its ref as target.",
            data={"count": len(found), "candidates": candidates},
        )
    frame, only = found[0]
    return frame, only["ref"]
