"""Pictures of a page: the viewport, a box, or the whole document; and PDF.

Works in hidden tabs without activating them; see kapture/page/screencast.py.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from typing import Any, Literal, TypeAlias

import attrs
import trio

from kapture.errors import Detached, KaptureError
from kapture.page.input.mouse import Box
from kapture.page.page import Page

ImageFormat: TypeAlias = Literal["webp", "png", "jpeg"]

# Chromium draws no surface larger than 16,384 device pixels per side; beyond that pictures repeat or are blank.
MAX_DEVICE_PIXELS = 16_000

MAX_SIDE = 8_000
"""Image pixels: models and clients refuse larger pictures."""
MAX_TALL = 2_000
MAX_DEFAULT = 1_280

_HEADER_CHARS = 16_384
"""Characters of base64, a multiple of 4: a JPEG's size comes after its tables, and a colour profile if it has one."""

_MOST_FRAMES = 10
"""How long to wait for the viewport's size, which the person may have changed meanwhile."""


@attrs.frozen(kw_only=True)
class Metrics:
    """The main document as measured by the agent, in CSS pixels; `ratio` is device pixels per CSS pixel. `zoom` is how
    the person has zoomed the tab, in which the browser counts: 1.25 of its pixels are a CSS pixel at 125 %."""

    zoom: float
    ratio: float
    width: float
    height: float
    scrollX: float  # noqa: N815  the agent's names
    scrollY: float  # noqa: N815
    fullWidth: float  # noqa: N815
    fullHeight: float  # noqa: N815


@attrs.frozen(kw_only=True)
class Picture:
    """An image. `css_scale`: CSS pixels per image pixel. `full_height` is in CSS pixels."""

    base64: str
    mime_type: str
    width: int
    height: int
    css_scale: float
    truncated: bool
    full_height: float


@attrs.frozen(kw_only=True)
class Shot:
    """A picture to be taken of the visible part of `box` (document coordinates): `width` and `height` in CSS pixels,
    `drawn` image pixels each. `parameters` are those of `Page.captureScreenshot`."""

    box: Box
    width: float
    height: float
    drawn: float
    parameters: Mapping[str, Any]

    def picture(self, taken: Mapping[str, Any]) -> Picture:
        """The picture in the browser's answer."""
        width, height = image_size(taken["data"])
        return Picture(
            base64=taken["data"],
            mime_type=f"image/{self.parameters['format']}",
            width=width,
            height=height,
            css_scale=1 / self.drawn,
            truncated=self.height < self.box.height or self.width < self.box.width,
            full_height=self.box.height,
        )


def image_size(encoded: str) -> tuple[int, int]:
    """Return width and height of a PNG, JPEG or WebP image in base64, as its header has them."""
    head = base64.b64decode(encoded[:_HEADER_CHARS])
    if head.startswith(b"\x89PNG"):
        return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    if head[8:16] == b"WEBPVP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if head[8:16] == b"WEBPVP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if head[8:16] == b"WEBPVP8 ":
        return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF
    at = 2  # a JPEG: segments of a marker and a length, up to the start of the frame
    while at + 9 <= len(head) and not (0xC0 <= head[at + 1] <= 0xCF and head[at + 1] not in (0xC4, 0xC8, 0xCC)):
        at += 2 + int.from_bytes(head[at + 2 : at + 4])
    return int.from_bytes(head[at + 7 : at + 9]), int.from_bytes(head[at + 5 : at + 7])


async def measure(page: Page) -> Metrics:
    """Measure the main document."""
    layout = page.connection.root.submit("Page.getLayoutMetrics", {})
    return _metrics(await page.frames.main.call("metrics", {}), await layout.wait())


def _metrics(measured: Mapping[str, Any], layout: Mapping[str, Any]) -> Metrics:
    return Metrics(zoom=layout["cssVisualViewport"].get("zoom", 1), **measured)


def plan_shot(
    box: Box,
    metrics: Metrics,
    *,
    image_format: ImageFormat,
    quality: int | None,
    max_side: float | None,
    max_height: float,
    scale: float = 1,
    whole: bool = False,
) -> Shot:
    """Plan a picture of a box, at most `max_side` image pixels wide and high.

    By default that is 1,280; what is tall may be 2,000 high, and a `whole` page 8,000, since a tall page squeezed into
    a square cannot be read. A box taller than `max_height` CSS pixels is cut there, and the picture says so.
    """
    most = MAX_DEVICE_PIXELS / metrics.ratio
    width, height = min(box.width, most), min(box.height, max_height, most)
    tallest = MAX_SIDE if whole else MAX_TALL if height > 2 * width else MAX_DEFAULT
    drawn = min(scale, (max_side or MAX_DEFAULT) / (width or 1), (max_side or tallest) / (height or 1))
    parameters: dict[str, Any] = {
        "format": image_format,
        "clip": {
            "x": box.x * metrics.zoom,
            "y": box.y * metrics.zoom,
            "width": width * metrics.zoom,
            "height": height * metrics.zoom,
            "scale": drawn / metrics.ratio,
        },
        "captureBeyondViewport": _reaches_out(Box(box.x, box.y, width, height), metrics),
        "optimizeForSpeed": image_format != "png",
    }
    if quality is not None and image_format != "png":
        parameters["quality"] = quality
    return Shot(box=box, width=width, height=height, drawn=drawn, parameters=parameters)


async def end_transitions(page: Page) -> None:
    """End the view transitions of granted documents, which may show frames of other sites as they were before."""
    for frame in page.frames.all():
        if frame.granted and not frame.why_silent:
            with suppress(Detached):  # it is gone
                await frame.call("endTransitions", {})


async def take_picture(page: Page, shot: Shot) -> Picture:
    """Take a picture. Waits for frames in other processes, which draw independently: they would be blank otherwise,
    also in the picture of an element around them."""
    page.highlight.hide()
    await page.shown.clear()
    async with page.widget.unseen():
        await end_transitions(page)
        return await _take(page, shot)


async def _take(page: Page, shot: Shot) -> Picture:
    root = page.connection.root
    far = [one for one in page.frames.all() if one.session is not root]
    async with page.screencast.force_rendering() if far else nullcontext():
        for one in {part.session: part for part in far}.values():
            with suppress(KaptureError), trio.move_on_after(1):  # a frame that is gone is not in the picture
                await one.call("awaitPaint")
        taking = root.submit("Page.captureScreenshot", shot.parameters)
        return shot.picture(await page.screencast.when_drawn(taking))


async def measure_and_take(page: Page, expected: Shot) -> tuple[Metrics, Picture]:
    """Measure the main document and take a picture in one message, with the shot that the metrics should ask for.

    For pages whose frames are all drawn by the main frame's process.
    """
    root = page.connection.root
    page.highlight.hide()
    await page.shown.clear()
    async with page.widget.unseen():
        await end_transitions(page)
        with page.connection.together():
            measuring = page.frames.main.begin("metrics")
            layout = root.submit("Page.getLayoutMetrics", {})
            # Measuring waits until tasks of the last action have run.
            taking = root.submit("Page.captureScreenshot", expected.parameters, wait_for_previous=True)
        metrics = await measure(page) if measuring is None else _metrics(await measuring.finish(), await layout.wait())
        return metrics, expected.picture(await page.screencast.when_drawn(taking))


async def print_pdf(page: Page, options: Mapping[str, Any]) -> str:
    """The page as PDF, base64."""
    with page.dialogs.expecting_pdf():
        answer = await page.connection.root.send("Page.printToPDF", dict(options))
    text: str = answer["data"]
    return text


@asynccontextmanager
async def viewport(page: Page, width: float | None, height: float | None) -> AsyncIterator[None]:
    """Give the page a viewport of this size for the duration of the block; None keeps the current width or height."""
    if width is None and height is None:
        yield
        return
    now = await measure(page)
    wanted = {
        "deviceScaleFactor": 0,
        "mobile": False,
        **(page.device_metrics or {}),
        "width": round(width or now.width),
        "height": round(height or now.height),
    }
    try:
        await page.connection.root.send("Emulation.setDeviceMetricsOverride", wanted)
        yield
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(5):
            await page.restore_viewport()
            await _until_sized(page, now)


async def _until_sized(page: Page, wanted: Metrics) -> None:
    """Wait until the page has its new size: the browser answers before, the size changes with a frame."""
    with suppress(KaptureError):  # the page is gone, or may not be read any more
        for _ in range(_MOST_FRAMES):
            now = await measure(page)
            if (now.width, now.height) == (wanted.width, wanted.height):
                return
            await page.frames.main.call("awaitPaint")


@asynccontextmanager
async def scrolled_back(page: Page, *, when: bool) -> AsyncIterator[None]:
    """Scroll back at the end of the block whatever the main document scrolls in it."""
    if not when:
        yield
        return
    main = page.frames.main
    await main.call("notePositions", {})
    try:
        yield
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(5), suppress(KaptureError):
            for frame in page.frames.all():
                if frame.granted and not frame.why_silent:
                    await frame.call("scrollAllBack", {})


@asynccontextmanager
async def grown(page: Page, box: Box, metrics: Metrics, max_height: float) -> AsyncIterator[Metrics]:
    """Give the page a viewport as high as the box if necessary; yields the metrics.

    Chromium leaves frames of other processes blank outside the viewport, whatever is requested. A page whose layout
    depends on the viewport's height would change: its viewport is left as it is.
    """
    root = page.connection.root
    bottom = min(box.y + box.height, box.y + max_height, MAX_DEVICE_PIXELS / metrics.ratio)
    if not _reaches_out(box, metrics) or all(frame.session is root for frame in page.frames.all()):
        yield metrics
        return
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(viewport(page, None, max(bottom, metrics.height)))
            now = await measure(page)
            if (now.fullWidth, max(now.fullHeight, metrics.fullHeight)) != (metrics.fullWidth, metrics.fullHeight):
                await stack.aclose()
                now = await measure(page)
            yield now
        finally:
            await stack.aclose()
            with trio.CancelScope(shield=True), trio.move_on_after(5):
                await page.frames.main.call("scrollBack", {"x": metrics.scrollX, "y": metrics.scrollY})


def _reaches_out(box: Box, metrics: Metrics) -> bool:
    """Whether part of the box is outside the viewport."""
    return (
        box.x < metrics.scrollX
        or box.y < metrics.scrollY
        or box.x + box.width > metrics.scrollX + metrics.width
        or box.y + box.height > metrics.scrollY + metrics.height
    )
