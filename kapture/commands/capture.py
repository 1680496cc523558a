"""Pictures and PDF files of the page."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Annotated, Any, Literal

import attrs
import trio
from msgspec import Meta

from kapture.cdp import CdpError, Refusal
from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, command
from kapture.errors import Detached, DialogOpen, ErrorCode, KaptureError, Wording
from kapture.page import Page
from kapture.page.actionability import tab_point
from kapture.page.capture import (
    ImageFormat,
    Metrics,
    Picture,
    Shot,
    end_transitions,
    grown,
    measure,
    measure_and_take,
    plan_shot,
    print_pdf,
    scrolled_back,
    take_picture,
    viewport,
)
from kapture.page.documents.frame import Frame
from kapture.page.documents.read_gate import EVERY_SITE, NOBODY
from kapture.page.element import Element
from kapture.page.input.mouse import Box, in_the_tab
from kapture.page.target import Target
from kapture.snapshot.content import acts
from kapture.snapshot.notation import named
from kapture.snapshot.tree import read_document


@attrs.frozen(kw_only=True)
class ScreenshotAnswer(Answer):
    """The picture and its size. `css_scale`: CSS pixels per image pixel."""

    name: str
    width: int
    height: int
    css_scale: float
    image: Blob
    truncated: bool | None = None
    full_height: float | None = None
    labels: list[str] | None = None

    def text(self) -> str:
        """One line, then one per label."""
        line = f"{self.name}: {self.width}×{self.height} px"
        if abs(self.css_scale - 1) > 0.001:
            line += f", 1 image px = {self.css_scale:.3g} CSS px"
        if self.truncated:
            line += f", truncated: the page is {self.full_height:g} CSS px high"
        return "\n".join([line, *(self.labels or [])])

    def has_page_text(self) -> bool:
        """True with labels, whose names are the page's."""
        return bool(self.labels)

    def parts(self) -> tuple[Blob, ...]:
        """The image."""
        return (self.image,)


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


_COVERS_WITHIN_S = 3.0


async def labels_of(page: Page) -> list[tuple[str, str]]:
    """The refs of actionable elements in view, each with its line for the answer."""
    found: list[tuple[str, str]] = []
    for frame in page.frames.all():
        if not frame.granted or (frame.parent and frame.why_silent):
            continue
        for node in (await read_document(frame)).root.nodes():
            if acts(node) and not node.offscreen:
                ref = frame.ref(node.ref)
                found.append((ref, f"{ref} {named(node)}"))
    return found


def withheld(page: Page) -> set[tuple[str, str]]:
    """Frames whose documents are outside the grant and must not be shown, as pairs of frame and document."""
    return {(frame.id, frame.loader_id) for frame in page.frames.all() if not frame.granted}


@contextmanager
def withheld_during(page: Page) -> Iterator[set[tuple[str, str]]]:
    """At the end of the block, the set holds what `withheld` would have held at any moment of it."""
    found = withheld(page)
    with page.frames.notes.during() as notes:
        yield found
    any_site = page.gate(EVERY_SITE)
    found |= {(frame, loader) for frame, loader, url in notes if not (page.gate(url) or (any_site and url == NOBODY))}
    found |= withheld(page)


@asynccontextmanager
async def overlay(
    page: Page, labels: list[tuple[str, str]], *, whole: bool = False, print_: bool = False
) -> AsyncIterator[set[str]]:
    """Draw labels and covers for the duration of the block; yields the labels that were drawn.

    A frame outside the grant is hidden by the page around it, and covered by its own document, which the scripts of
    that page cannot reach.
    """
    outside = [frame for frame in page.frames.all() if not frame.granted and frame.why_silent != "crashed"]
    frames = [frame for frame in page.frames.all() if frame.granted]
    touched = []
    drawn: set[str] = set()
    try:
        if uncovered := await _veil(outside):
            raise _cannot_be_covered(uncovered)
        for frame in frames:
            numbers = {int(ref.rpartition("e")[2]): ref for ref, _ in labels if ref.rpartition("e")[0] == frame.key}
            covers = [child.key for child in frame.children if not child.granted]
            if not numbers and not covers:
                continue
            touched.append(frame)
            answer = await frame.call(
                "draw",
                {
                    "labels": [{"ref": number, "text": ref} for number, ref in numbers.items()],
                    "covers": covers,
                    "whole": whole,
                    "print": print_,
                },
            )
            if answer["uncovered"]:
                raise _cannot_be_covered([frame for frame in outside if frame.key in answer["uncovered"]])
            drawn |= {numbers[number] for number in answer["drawn"]}
        yield drawn
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(5):
            try:
                await _erase(touched)
            finally:
                for frame in outside:
                    with suppress(KaptureError):  # it is gone, or shows itself after a minute
                        await frame.call("unveil")


async def _erase(touched: Sequence[Frame]) -> None:
    """Take away what was drawn in these frames: in all of them, also when the document of one is gone. Raises its error
    then."""
    first: KaptureError | None = None
    for frame in touched:
        try:
            await frame.call("erase", {})
        except KaptureError as error:
            first = first or error
    if first is not None:
        raise first


async def _veil(outside: Sequence[Frame]) -> list[Frame]:
    """Have these documents cover themselves; returns those that did not in time."""
    uncovered = list(outside)

    async def veil(frame: Frame) -> None:
        if frame.why_silent:
            return
        try:
            if not (await frame.call("veil"))["veiled"]:
                return
        except (Detached, DialogOpen):
            pass  # it is gone, or blocked by a dialog: then no picture of it is taken
        except KaptureError:
            return
        uncovered.remove(frame)

    with trio.move_on_after(_COVERS_WITHIN_S):
        async with trio.open_nursery() as nursery:
            for frame in outside:
                nursery.start_soon(veil, frame)
    return uncovered


def _cannot_be_covered(frames: Iterable[Frame]) -> KaptureError:
    keys = ", ".join(frame.key for frame in frames)
    return KaptureError(
        ErrorCode.POLICY_DENIED,
        f"The page shows a frame outside the grant that cannot be covered ({keys}).",
        hint=Wording("{Look} instead."),
    )


DEFAULT_QUALITY = 80

_METRICS = "metrics of the last picture"


@attrs.frozen(kw_only=True)
class Region:
    """A rectangle of the viewport, in CSS pixels."""

    x: float
    y: float
    width: Annotated[float, Meta(gt=0)]
    height: Annotated[float, Meta(gt=0)]


@attrs.frozen(kw_only=True)
class Screenshot:
    """Take a screenshot: viewport, element, region or full page."""

    name: Annotated[str, Meta(description="Name of the image.")] = "screenshot"
    target: Annotated[Target | None, Meta(description="Only this element.")] = None
    selector: Annotated[str | None, Meta(description="CSS selector, in place of target.")] = None
    full_page: Annotated[bool, Meta(description="The whole page.")] = False
    region: Annotated[Region | None, Meta(description="Part of the viewport.")] = None
    labels: Annotated[bool, Meta(description="Draw refs on it.")] = False
    format: Annotated[ImageFormat, Meta(description="File format.")] = "jpeg"
    quality: Annotated[int, Meta(ge=1, le=100, description="Quality of jpeg and webp.")] | None = None
    scale: Annotated[float, Meta(gt=0, le=4, description="Image pixels per CSS pixel.")] = 1
    max_side: Annotated[int, Meta(ge=16, le=8_000, description="Longest side of the image in pixels.")] | None = None
    max_height: Annotated[int, Meta(ge=1, description="Maximum height of a full page in CSS pixels.")] = 8_000
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
                hint="Give only one of them.",
            )

    @property
    def element(self) -> Target | None:
        """The element to capture, if any."""
        return self.target if self.target is not None else self.selector

    @property
    def resizes(self) -> bool:
        """Whether the page needs another viewport for it."""
        return self.width is not None or self.height is not None


@command("screenshot", access=Access.READ, timeout_ms=SLOW_TIMEOUT_MS, long=True)
async def screenshot(tab: TabContext, params: Screenshot) -> ScreenshotAnswer:
    """Capture with frames outside the grant covered; labels and covers are removed afterwards."""
    page = tab.page
    if (picture := await _as_before(tab, params)) is not None:
        return _answer(params, picture, None)
    async with viewport(page, params.width, params.height), scrolled_back(page, when=params.element is not None):
        labels = await labels_of(page) if params.labels else []
        element = None if params.element is None else await _in_view(page, params.element)
        while True:
            covered = withheld(page)
            with withheld_during(page) as shown:
                metrics = await measure(page)
                box = _box(params, metrics) if element is None else await _element_box(element, metrics)
                async with (
                    grown(page, box, metrics, params.max_height) as drawn_in,
                    overlay(page, labels, whole=params.full_page) as drawn,
                ):
                    shot = _shot(params, box, drawn_in)
                    picture = await take_picture(page, shot)
            if shown <= covered:
                break  # no document was there meanwhile that should have been covered
    if not params.resizes:
        tab.client.kept[_METRICS] = metrics
    return _answer(params, picture, [line for ref, line in labels if ref in drawn] if params.labels else None)


async def _as_before(tab: TabContext, params: Screenshot) -> Picture | None:
    """The picture, if the page still has the metrics of the last one: taken without measuring first. None if the
    metrics differ, or more has to be done than taking the picture."""
    page = tab.page
    known: Metrics | None = tab.client.kept.get(_METRICS)
    if known is None or params.labels or params.element is not None or params.resizes or not _is_drawn_at_once(page):
        return None
    shot = _shot(params, _box(params, known), known)
    with withheld_during(page) as shown:
        metrics, picture = await measure_and_take(page, shot)
    tab.client.kept[_METRICS] = metrics
    fits = _shot(params, _box(params, metrics), metrics) == shot
    return picture if fits and not shown and _is_drawn_at_once(page) else None


def _is_drawn_at_once(page: Page) -> bool:
    """Whether all frames are drawn by one process, and none must be covered."""
    return all(frame.session is page.connection.root and frame.granted for frame in page.frames.all())


def _shot(params: Screenshot, box: Box, metrics: Metrics) -> Shot:
    return plan_shot(
        box,
        metrics,
        image_format=params.format,
        quality=params.quality or (None if params.format == "png" else DEFAULT_QUALITY),
        max_side=params.max_side,
        max_height=params.max_height,
        scale=params.scale,
        whole=params.full_page,
    )


def _box(params: Screenshot, metrics: Metrics) -> Box:
    if params.full_page:
        return Box(0, 0, metrics.fullWidth, metrics.fullHeight)
    if params.region is not None:
        region = params.region
        return Box(region.x + metrics.scrollX, region.y + metrics.scrollY, region.width, region.height)
    return Box(metrics.scrollX, metrics.scrollY, metrics.width, metrics.height)


async def _in_view(page: Page, target: Target) -> Element:
    """Scroll the element and every frame around it into view: frames out of view are not drawn, even in larger
    pictures."""
    ready = await page.actions.ready(target, "scroll")
    await tab_point(ready.element.frame, ready.point, ready.element, "aim")
    return ready.element


async def _element_box(element: Element, metrics: Metrics) -> Box:
    box = await element.call("box")
    ((x, y, width, height),) = await in_the_tab(element.frame, [box])
    if width < 1 or height < 1:
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{element.describe()} has no size, so there is nothing to capture.",
            hint="Capture a visible element, or the viewport.",
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


_PAPER_INCHES = {"a4": (8.27, 11.69), "letter": (8.5, 11), "a3": (11.69, 16.54), "legal": (8.5, 14)}


@attrs.frozen(kw_only=True)
class Pdf:
    """Print the page to PDF."""

    landscape: bool = False
    background: Annotated[bool, Meta(description="With background colours and images.")] = True
    scale: Annotated[float, Meta(ge=0.1, le=2)] = 1
    paper: Literal["a4", "letter", "a3", "legal"] = "a4"
    pages: Annotated[str, Meta(description="Such as 1-3, 5; default all.")] = ""


@command("pdf", access=Access.READ, timeout_ms=SLOW_TIMEOUT_MS, toolset="files", reads_page=False, long=True)
async def pdf(tab: TabContext, params: Pdf) -> PdfAnswer:
    """Print with frames outside the grant covered."""
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
        covered = withheld(page)
        with withheld_during(page) as shown:
            content = await _printed(page, options, params.pages)
        page.frames.main.check_granted()
        if shown <= covered:
            break
    blob = Blob(base64=content, mime_type="application/pdf", name="page.pdf")
    return PdfAnswer(bytes=len(content) * 3 // 4 - content.count("="), file=blob)


async def _printed(page: Page, options: Mapping[str, Any], pages: str) -> str:
    """The PDF as base64."""
    async with overlay(page, [], print_=True):
        await end_transitions(page)
        try:
            return await print_pdf(page, options)
        except CdpError as error:
            if not error.means(Refusal.PAGE_RANGE):
                raise
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"The printed page does not have the pages {pages!r}: {error.reason}.",
                hint="Leave pages out to print all.",
            ) from error


def _page_ranges(written: str) -> str:
    """Check page ranges: CDP's own check accepts nonsense, or prints all pages for it."""
    ranges = [part.strip() for part in written.split(",")] if written.strip() else []
    for part in ranges:
        bounds = re.fullmatch(r"(\d{1,6})?\s*-\s*(\d{1,6})?|(\d{1,6})", part)
        first, last = (int(bounds[1] or 1), int(bounds[2] or 10**6)) if bounds and not bounds[3] else (1, 1)
        single = int(bounds[3]) if bounds and bounds[3] else 1
        if not bounds or part == "-" or first < 1 or single < 1 or last < first:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"{part!r} is not a valid page range.",
                hint="Write numbers and ranges such as 1-3, 5.",
                data={"parameter": "pages"},
            )
    return ",".join(ranges)
