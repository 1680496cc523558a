"""Screenshots."""

from __future__ import annotations

from typing import Annotated

import attrs
from msgspec import Meta

from kapture.commands.capture.overlay import labels_of, overlay, withheld, withheld_during
from kapture.commands.core.answer import Blob
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, command
from kapture.commands.formatters.capture import ScreenshotAnswer
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page
from kapture.page.actionability import tab_point
from kapture.page.capture import (
    ImageFormat,
    Metrics,
    Picture,
    Shot,
    grown,
    measure,
    measure_and_take,
    plan_shot,
    take_picture,
    viewport,
)
from kapture.page.element import Element
from kapture.page.input.geometry import Box, in_the_tab
from kapture.page.target import Target

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

    name: Annotated[str, Meta(description="Image name.")] = "screenshot"
    target: Annotated[Target | None, Meta(description="Only this element.")] = None
    selector: Annotated[str | None, Meta(description="CSS selector, in place of target.")] = None
    full_page: Annotated[bool, Meta(description="The whole page.")] = False
    region: Annotated[Region | None, Meta(description="Part of the viewport.")] = None
    labels: Annotated[bool, Meta(description="Draw refs on it.")] = False
    format: Annotated[ImageFormat, Meta(description="File format.")] = "jpeg"
    quality: Annotated[int, Meta(ge=1, le=100, description="For jpeg and webp.")] | None = None
    scale: Annotated[float, Meta(gt=0, le=4, description="Image pixels per CSS pixel.")] = 1
    max_side: Annotated[int, Meta(ge=16, le=16_000, description="Longest side.")] = 1_280
    max_height: Annotated[int, Meta(ge=1, description="Limit of a full page.")] = 10_000
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


@command("screenshot", access=Access.READ, timeout_ms=SLOW_TIMEOUT_MS)
async def screenshot(tab: TabContext, params: Screenshot) -> ScreenshotAnswer:
    """Capture with frames outside the grant covered; labels and covers are removed afterwards."""
    page = tab.page
    if (picture := await _as_before(tab, params)) is not None:
        return _answer(params, picture, None)
    async with viewport(page, params.width, params.height):
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
