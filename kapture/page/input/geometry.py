"""Boxes, and their positions in the tab."""

from __future__ import annotations

import attrs

from kapture.page.documents.frame import Frame


@attrs.frozen
class Box:
    """A rectangle in CSS pixels."""

    x: float
    y: float
    width: float
    height: float


async def in_the_tab(frame: Frame, boxes: list[list[float]]) -> list[list[float]]:
    """Convert boxes `[x, y, width, height]` from a frame's viewport to the tab's viewport."""
    inner = frame
    for parent in frame.ancestors():
        # A frame's position reveals nothing of the parent's contents, so a parent outside the grant may be asked.
        boxes = await parent.call("outOfFrame", {"frame": inner.key, "boxes": boxes})
        inner = parent
    return boxes
