"""Pictures: screenshot and PDF."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Literal

import attrs
import trio
from msgspec import Meta

from kapture.cdp import CdpError, Refusal
from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, command
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page
from kapture.page.capture import ImageFormat, Metrics, Picture, grown, measure, print_pdf, take_picture, viewport
from kapture.page.element import Element
from kapture.page.geometry import Box, in_the_tab
from kapture.page.ready import to_root
from kapture.page.target import Target

DEFAULT_QUALITY = 80


@attrs.frozen(kw_only=True)
class Region:
    """A rectangle of the viewport, in CSS pixels."""

    x: float
    y: float
    width: Annotated[float, Meta(gt=0)]
    height: Annotated[float, Meta(gt=0)]


@attrs.frozen(kw_only=True)
class Screenshot:
    """Take a picture of the viewport, an element, a region or the full page."""

    name: Annotated[str, Meta(description="Its name.")] = "screenshot"
    target: Annotated[Target | None, Meta(description="Element to picture.")] = None
    selector: Annotated[str | None, Meta(description="CSS selector, instead of target.")] = None
    full_page: Annotated[bool, Meta(description="Up to max_height.")] = False
    region: Annotated[Region | None, Meta(description="CSS pixels.")] = None
    labels: Annotated[bool, Meta(description="Draw refs on it.")] = False
    format: Annotated[ImageFormat, Meta(description="File format.")] = "webp"
    quality: Annotated[int, Meta(ge=1, le=100, description="For webp and jpeg.")] | None = None
    scale: Annotated[float, Meta(gt=0, le=4, description="Image pixels a CSS pixel.")] = 1
    max_side: Annotated[int, Meta(ge=16, le=16_000, description="Longest side, image pixels.")] = 1_280
    max_height: Annotated[int, Meta(ge=1, description="Cut a full page here.")] = 10_000
    width: Annotated[float, Meta(gt=0, le=16_000, description="Viewport width.")] | None = None
    height: Annotated[float, Meta(gt=0, le=16_000, description="Viewport height.")] | None = None

    def __attrs_post_init__(self) -> None:
        ways = [
            way
            for way, given in (
                ("target", self.target is not None),
                ("selector", self.selector is not None),
                ("full_page", self.full_page),
                ("region", self.region is not None),
            )
            if given
        ]
        if len(ways) > 1:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"A screenshot shows one thing; this asks for {' and '.join(ways)}.",
                hint="Give at most one of target, selector, full_page, region.",
            )

    @property
    def element(self) -> Target | None:
        """What to picture, if an element."""
        return self.target if self.target is not None else self.selector


@attrs.frozen(kw_only=True)
class ScreenshotAnswer(Answer):
    """The picture and its measures. `css_scale`: CSS pixels that one image pixel spans."""

    name: str
    width: int
    height: int
    css_scale: float
    image: Blob
    truncated: bool | None = None
    full_height: float | None = None
    labels: list[str] | None = None

    def text(self) -> str:
        """One line, then one a label."""
        line = f"{self.name}: {self.width}×{self.height} px"
        if abs(self.css_scale - 1) > 0.001:
            line += f", 1 image px = {self.css_scale:.3g} CSS px"
        if self.truncated:
            line += f", truncated: the page is {self.full_height:g} CSS px high"
        return "\n".join([line, *(self.labels or [])])

    def says_page_words(self) -> bool:
        """The labels' names are the page's."""
        return bool(self.labels)

    def parts(self) -> tuple[Blob, ...]:
        """The image."""
        return (self.image,)


@command("screenshot", access=Access.READ, timeout_ms=SLOW_TIMEOUT_MS)
async def screenshot(tab: TabContext, params: Screenshot) -> ScreenshotAnswer:
    """Frames outside the grant are covered; labels and covers are gone again when the picture is taken."""
    page = tab.page
    async with viewport(page, params.width, params.height):
        labels = await _interactive(page) if params.labels else []
        element = None if params.element is None else await _in_view(page, params.element)
        while True:
            covered = _withheld(page)
            metrics = await measure(page)
            box = _box(params, metrics) if element is None else await _element_box(element, metrics)
            async with (
                grown(page, box, metrics, params.max_height) as drawn_in,
                _overlay(page, labels, whole=params.full_page) as drawn,
            ):
                picture = await take_picture(
                    page,
                    box,
                    drawn_in,
                    image_format=params.format,
                    quality=params.quality or (None if params.format == "png" else DEFAULT_QUALITY),
                    max_side=params.max_side,
                    max_height=params.max_height,
                    scale=params.scale,
                    frame=element.frame if element is not None else None,
                )
            page.frames.main.check_granted()
            if _withheld(page) <= covered:
                break  # no document came meanwhile that should have been covered
    return _answer(params, picture, [line for ref, line in labels if ref in drawn] if params.labels else None)


@attrs.frozen(kw_only=True)
class Pdf:
    """Print the page to PDF."""

    landscape: bool = False
    background: Annotated[bool, Meta(description="With background colours and images.")] = True
    scale: Annotated[float, Meta(ge=0.1, le=2)] = 1
    paper: Literal["a4", "letter", "a3", "legal"] = "a4"
    pages: Annotated[str, Meta(description="Such as 1-3, 5; default all.")] = ""


@attrs.frozen(kw_only=True)
class PdfAnswer(Answer):
    """The file; `bytes` is its size."""

    bytes: int
    file: Blob

    def text(self) -> str:
        """One line."""
        return f"PDF, {self.bytes} bytes"

    def parts(self) -> tuple[Blob, ...]:
        """The file."""
        return (self.file,)


_PAPER_INCHES = {"a4": (8.27, 11.69), "letter": (8.5, 11), "a3": (11.69, 16.54), "legal": (8.5, 14)}


@command("pdf", access=Access.READ, timeout_ms=SLOW_TIMEOUT_MS, toolset="files", reads_page=False)
async def pdf(tab: TabContext, params: Pdf) -> PdfAnswer:
    """Print, with frames outside the grant covered."""
    width, height = _PAPER_INCHES[params.paper]
    options = {
        "landscape": params.landscape,
        "printBackground": params.background,
        "scale": params.scale,
        "paperWidth": width,
        "paperHeight": height,
        "pageRanges": _page_ranges(params.pages),
    }
    page = tab.page
    while True:
        covered = _withheld(page)
        async with _overlay(page, [], print_=True):
            try:
                content = await print_pdf(page, options)
            except CdpError as error:
                if not error.means(Refusal.PAGE_RANGE):
                    raise
                raise KaptureError(
                    ErrorCode.INVALID_PARAMS,
                    f"The page has no pages {params.pages!r} when printed: {error.reason}.",
                    hint="Leave pages out to print all.",
                ) from error
        page.frames.main.check_granted()
        if _withheld(page) <= covered:
            break
    blob = Blob(base64=content, mime_type="application/pdf", name="page.pdf")
    return PdfAnswer(bytes=len(content) * 3 // 4 - content.count("="), file=blob)


def _page_ranges(written: str) -> str:
    """CDP's own check lets nonsense through, or answers it with all pages."""
    ranges = [part.strip() for part in written.split(",")] if written.strip() else []
    for part in ranges:
        bounds = re.fullmatch(r"(\d{1,6})?\s*-\s*(\d{1,6})?|(\d{1,6})", part)
        first, last = (int(bounds[1] or 1), int(bounds[2] or 10**6)) if bounds and not bounds[3] else (1, 1)
        single = int(bounds[3]) if bounds and bounds[3] else 1
        if not bounds or part == "-" or first < 1 or single < 1 or last < first:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"{part!r} is no range of pages.",
                hint="Write numbers and ranges such as 1-3, 5.",
                data={"parameter": "pages"},
            )
    return ",".join(ranges)


def _box(params: Screenshot, metrics: Metrics) -> Box:
    if params.full_page:
        return Box(0, 0, metrics.fullWidth, metrics.fullHeight)
    if params.region is not None:
        region = params.region
        return Box(region.x + metrics.scrollX, region.y + metrics.scrollY, region.width, region.height)
    return Box(metrics.scrollX, metrics.scrollY, metrics.width, metrics.height)


async def _in_view(page: Page, target: Target) -> Element:
    """Scrolled to, and every frame around it too: frames out of sight are not drawn, even in larger pictures."""
    ready = await page.ready(target, "scroll")
    await to_root(ready.element.frame, ready.point, ready.element, "aim")
    return ready.element


async def _element_box(element: Element, metrics: Metrics) -> Box:
    told = await element.call("box")
    ((x, y, width, height),) = await in_the_tab(element.frame, [told])
    if width < 1 or height < 1:
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{element.describe()} has no size, so there is nothing to picture.",
            hint="Picture an element that is shown, or the viewport.",
        )
    return Box(x + metrics.scrollX, y + metrics.scrollY, width, height)


def _answer(params: Screenshot, picture: Picture, labels: list[str] | None) -> ScreenshotAnswer:
    return ScreenshotAnswer(
        name=params.name,
        width=picture.width,
        height=picture.height,
        css_scale=round(picture.css_scale, 4),
        truncated=picture.truncated or None,
        full_height=picture.full_height if picture.truncated else None,
        labels=labels,
        image=Blob(base64=picture.base64, mime_type=picture.mime_type, name=f"{params.name}.{params.format}"),
    )


async def _interactive(page: Page) -> list[tuple[str, str]]:
    """The refs that can be acted on, each with the line that the answer shows for it."""
    found: list[tuple[str, str]] = []
    for frame in page.frames.all():
        if not frame.granted:
            continue
        tree = await frame.call("snapshot", {"interactive_only": True, "viewport_only": True})
        stack = [tree.get("tree", tree)]
        while stack:
            node = stack.pop()
            if isinstance(node, str):
                continue
            if node.get("ref") and node["role"] not in {"document", "RootWebArea", "iframe"}:
                ref = f"{frame.key}e{node['ref']}"
                found.append((ref, f'{ref} {node["role"]} "{node.get("name", "")}"'))
            stack.extend(reversed(node.get("children", [])))
    return found


def _withheld(page: Page) -> set[tuple[str, str]]:
    """The documents outside the grant, which a picture must not show: frame and document each."""
    return {(frame.id, frame.loader_id) for frame in page.frames.all() if not frame.granted}


@asynccontextmanager
async def _overlay(
    page: Page, labels: list[tuple[str, str]], *, whole: bool = False, print_: bool = False
) -> AsyncIterator[set[str]]:
    """Draw labels and cover what the grant leaves out, for the length of the block; which labels were drawn."""
    frames = [frame for frame in page.frames.all() if frame.granted]
    touched = []
    drawn: set[str] = set()
    try:
        for frame in frames:
            numbers = {int(ref.rpartition("e")[2]): ref for ref, _ in labels if ref.rpartition("e")[0] == frame.key}
            covers = [child.key for child in frame.children if not child.granted]
            if not numbers and not covers:
                continue
            touched.append(frame)
            told = await frame.call(
                "draw",
                {
                    "labels": [{"ref": number, "text": ref} for number, ref in numbers.items()],
                    "covers": covers,
                    "whole": whole,
                    "print": print_,
                },
            )
            if told["uncovered"]:
                raise KaptureError(
                    ErrorCode.POLICY_DENIED,
                    "The page shows a frame outside the grant in a way that it cannot be covered.",
                    hint="Read the page with snapshot or get_text instead.",
                )
            drawn |= {numbers[number] for number in told["drawn"]}
        yield drawn
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(5):
            for frame in touched:
                await frame.call("erase", {})
