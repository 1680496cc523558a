"""How a client names an element: `Target`."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeAlias

import attrs
from msgspec import Meta

from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.frame import Frame, parse_ref
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import names_no_site
from kapture.split_url import split_url


@attrs.frozen(kw_only=True)
class TargetSpec:
    """One way to identify an element, and what narrows it down."""

    ref: Annotated[str, Meta(description="Ref from a snapshot: e12, f2e12.")] | None = None
    css: str | None = None
    xpath: str | None = None
    role: str | None = None
    name: Annotated[str, Meta(description="Accessible name, with role.")] | None = None
    exact: Annotated[bool, Meta(description="Match name, text or label exactly.")] = False
    text: str | None = None
    label: str | None = None
    testId: str | None = None  # noqa: N815  the name clients send
    x: Annotated[float, Meta(description="CSS pixels in the viewport, with y.")] | None = None
    y: float | None = None
    nth: Annotated[int, Meta(ge=0, description="Which of several matches, from 0.")] | None = None
    frame: Annotated[str, Meta(description="Frame to look in: f2, or part of its URL.")] | None = None

    def __attrs_post_init__(self) -> None:
        ways = [way for way, given in self.ways() if given]
        if len(ways) != 1:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"A target names its element in one way; this one uses {', '.join(ways) or 'none'}.",
                hint="Give exactly one of ref, css, xpath, role (with name), text, label, testId, or x with y.",
            )

    def ways(self) -> list[tuple[str, bool]]:
        """Each way to identify an element, and whether it is used."""
        return [
            ("ref", self.ref is not None),
            ("css", self.css is not None),
            ("xpath", self.xpath is not None),
            ("role", self.role is not None),
            ("text", self.text is not None),
            ("label", self.label is not None),
            ("testId", self.testId is not None),
            ("x, y", self.x is not None or self.y is not None),
        ]

    def as_json(self) -> dict[str, Any]:
        """Only the given fields, for the page agent."""
        return {
            field.name: value
            for field in attrs.fields(type(self))
            if (value := getattr(self, field.name)) is not None and value is not False
        }


_PLAIN_PARAMETER = re.compile(r"(?:^|(?<=[&?]))[\w.\[\]-]{1,40}=[a-z_-]{1,40}(?=$|&)", re.ASCII | re.IGNORECASE)
"""One that names something, and is no key of this session."""

Target: TypeAlias = str | TargetSpec
"""A plain string is a ref, if it looks like one (`e12`, `f2e12`), else a CSS selector."""


def as_spec(target: Target) -> TargetSpec:
    """The target in its object form."""
    if not isinstance(target, str):
        return target
    return TargetSpec(css=target) if parse_ref(target) is None else TargetSpec(ref=target)


def frame_part(frame: Frame, frames: FrameTree) -> dict[str, str]:
    """The frame part of a target for later runs: site and path of the frame's URL, or else its name, or a parameter of
    the URL; empty in the main frame, and where none tells it from the page's other frames: then all are searched."""
    if frame.parent is None:
        return {}
    parts = split_url(frame.url)
    by_url = [f"{parts.netloc}{parts.path}", *_PLAIN_PARAMETER.findall(f"{parts.query}&{parts.fragment}")]
    ways = [] if names_no_site(frame.url) else by_url
    if frame.name and not any(map(str.isdigit, frame.name)):  # a number is often another one each time
        ways.insert(1, frame.name)
    return next(({"frame": way} for way in ways if _finds(frames, way, frame)), {})


def _finds(frames: FrameTree, way: str, frame: Frame) -> bool:
    try:
        return frames.find(way) is frame
    except KaptureError:
        return False
