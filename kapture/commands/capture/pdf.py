"""The page as a PDF."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import attrs
from msgspec import Meta

from kapture.cdp import CdpError, Refusal
from kapture.commands.capture.overlay import overlay, withheld, withheld_during
from kapture.commands.core.answer import Blob
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, command
from kapture.commands.formatters.capture import PdfAnswer
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page
from kapture.page.capture import end_transitions, print_pdf

_PAPER_INCHES = {"a4": (8.27, 11.69), "letter": (8.5, 11), "a3": (11.69, 16.54), "legal": (8.5, 14)}


@attrs.frozen(kw_only=True)
class Pdf:
    """Print the page to PDF."""

    landscape: bool = False
    background: Annotated[bool, Meta(description="With background colours and images.")] = True
    scale: Annotated[float, Meta(ge=0.1, le=2)] = 1
    paper: Literal["a4", "letter", "a3", "legal"] = "a4"
    pages: Annotated[str, Meta(description="Such as 1-3, 5; default all.")] = ""


@command("pdf", access=Access.READ, timeout_ms=SLOW_TIMEOUT_MS, toolset="files", reads_page=False)
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
