"""Links of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import attrs
import toons
import trio
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import Targeted
from kapture.commands.core.registry import Access, command
from kapture.glob import MAX_CHARS, glob_matches
from kapture.page.documents.frame import ContextGone, Frame
from kapture.split_url import split_url


@attrs.frozen(kw_only=True)
class Link:
    """One link."""

    href: str
    text: str
    ref: str


@attrs.frozen(kw_only=True)
class Links(Answer):
    """Links in the order of the page, each URL and text once. `total` includes those left out."""

    links: list[Link]
    total: int

    def text(self) -> str:
        """A TOON table."""
        if not self.links:
            return "No links."
        shown = toons.dumps({"links": [attrs.asdict(link) for link in self.links]})
        left = self.total - len(self.links)
        return f"{shown}\n({left} more: raise max, or narrow by include)" if left else shown


_LINKS_A_FRAME = 10_000
Globs: TypeAlias = Annotated[list[Annotated[str, Meta(max_length=MAX_CHARS)]], Meta(max_length=20)]


@attrs.frozen(kw_only=True)
class ExtractLinks(Targeted):
    """List the links of the page, or of one element: URL, text and ref."""

    same_origin_only: bool = False
    include: Annotated[Globs | None, Meta(description="Globs: only URLs that match one, e.g. */docs/*.")] = None
    exclude: Annotated[Globs | None, Meta(description="Globs: leave out URLs that match one.")] = None
    max: Annotated[int, Meta(ge=1, le=2_000, description="At most this many; default 200.")] | None = None


@command("extract_links", access=Access.READ, toolset="more", long=True)
async def extract_links(tab: TabContext, params: ExtractLinks) -> Links:
    """Links of all granted frames, or within one element."""
    target = params.element
    main = tab.page.frames.main
    main.check_granted()
    origin = _origin(tab.page.url)
    found: list[Link] = []
    if target is None:
        for frame in tab.page.frames.all():
            if frame.granted and not (frame.parent and frame.why_silent):
                found += await _links_of(frame, {}, whole=frame is main)
    else:
        element = await tab.page.locate(target)
        found = await _links_of(element.frame, {"ref": element.number}, whole=True)
    chosen_links = []
    for link in found:
        await trio.lowlevel.checkpoint()
        if (
            (not params.same_origin_only or _origin(link.href) == origin)
            and (params.include is None or _matches(link.href, params.include))
            and not _matches(link.href, params.exclude or ())
        ):
            chosen_links.append(link)
    return Links(links=chosen_links[: tab.arguments.most(params.max, 200, _LINKS_A_FRAME)], total=len(chosen_links))


async def _links_of(frame: Frame, args: dict[str, Any], *, whole: bool) -> list[Link]:
    try:
        answer = await frame.call("readLinks", {**args, "max": _LINKS_A_FRAME})
    except ContextGone:
        if whole:
            raise
        return []  # the frame is gone, with its links
    return [Link(href=one["href"], text=one["text"], ref=frame.ref(one["ref"])) for one in answer["links"]]


def _origin(url: str) -> str:
    parts = split_url(url)
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _matches(url: str, globs: Sequence[str]) -> bool:
    return any(glob_matches(url, glob) for glob in globs)
