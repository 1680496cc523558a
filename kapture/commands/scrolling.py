"""Scrolling the page or an element."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import Targeted
from kapture.commands.core.registry import Access, command
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.actionability import tab_point
from kapture.page.documents.frame import Frame
from kapture.page.element import Element, ReadyElement
from kapture.page.input.input_guard import check_point
from kapture.page.input.mouse import Point


@attrs.frozen(kw_only=True)
class Scrolled(Answer):
    """The position, and the maximum, in CSS pixels. `moved` False: it was there already; `others` can be scrolled."""

    what: str
    x: int
    y: int
    max_x: int
    max_y: int
    moved: bool
    others: list[str] = attrs.field(factory=list)

    def text(self) -> str:
        """One line."""
        across = f", x {self.x} of {self.max_x}" if self.max_x else ""
        position = f"y {self.y} of {self.max_y}{across}"
        if self.moved:
            return f"scrolled {self.what}: {position}"
        others = f"; what can be scrolled: {', '.join(self.others)}" if self.others else ""
        return f"{self.what} did not scroll: {position}{others}"


@attrs.frozen(kw_only=True)
class Scroll(Targeted):
    """Scroll an element into view, or the page or the target by wheel, to a position or an edge."""

    delta_x: Annotated[float, Meta(description="By this many CSS pixels to the right.")] = 0
    delta_y: Annotated[float, Meta(description="By this many CSS pixels down.")] = 0
    x: Annotated[float | None, Meta(description="To this position, in CSS pixels from the left.")] = None
    y: Annotated[float | None, Meta(description="CSS pixels from the top.")] = None
    to: Annotated[Literal["top", "bottom", "left", "right"] | None, Meta(description="Edge to scroll to.")] = None


@command("scroll", access=Access.INTERACT, acts=True)
async def scroll(tab: TabContext, params: Scroll) -> Scrolled:
    """Scroll. The wheel is trusted input, so that pages that listen to it react."""
    ways = [params.to is not None, params.x is not None or params.y is not None, bool(params.delta_x or params.delta_y)]
    target = params.element
    if sum(ways) > 1 or (not any(ways) and target is None):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            "Give exactly one way to scroll.",
            hint=Wording("Give a {target}, or {delta_x} and {delta_y}, or {x} and {y}."),
            data={"parameters": ["target", "delta_x", "delta_y", "x", "y", "to"]},
        )
    async with tab.acting():
        ready = None if target is None else await tab.page.actions.ready(target, "scroll")
        frame = tab.page.frames.main if ready is None else ready.element.frame
        asked: dict[str, Any] = {**_from(ready), "within": any(ways)}
        if target is None:
            pointer = tab.page.mouse.position
            across = params.to in ("left", "right") or (not (params.delta_y or params.y) and params.to is None)
            asked |= {"pointer": {"x": pointer.x, "y": pointer.y}, "across": across}
        before = await frame.call("scrollState", asked)
        if ready is not None and not any(ways):
            after = await ready.call("scrollToElement")
        elif params.delta_x or params.delta_y:
            after = await _wheel(tab, params, frame, ready, before)
        else:
            position = {"x": params.x, "y": params.y, "edge": params.to}
            given = {name: value for name, value in position.items() if value is not None}
            after = await frame.call("scrollToPosition", {"handle": before["handle"], **given})
    what = f"frame {frame.key}" if frame.key else "the page"
    if after.get("box"):
        what = Element.of(frame, after["box"]).describe()
    if ready is not None and not any(ways):
        element = ready.element.describe()
        what = f"{what} to {element}" if after["moved"] else element
    others = [Element.of(frame, box).describe() if box else "the page" for box in after["others"]]
    return Scrolled(
        what=what,
        x=after["x"],
        y=after["y"],
        max_x=after["max_x"],
        max_y=after["max_y"],
        moved=after["moved"],
        others=others,
    )


def _from(ready: ReadyElement | None) -> dict[str, Any]:
    return {} if ready is None or "handle" not in ready.facts else {"handle": ready.facts["handle"]}


async def _wheel(
    tab: TabContext, params: Scroll, frame: Frame, ready: ReadyElement | None, before: dict[str, Any]
) -> dict[str, Any]:
    at = Point(before["point"]["x"], before["point"]["y"])
    if ready is not None:
        at = await tab_point(frame, at, ready.element, "aim")
    await check_point(tab.page.frames, at)
    await tab.page.mouse.wheel(params.delta_x, params.delta_y, at=at)
    after: dict[str, Any] = await frame.call("scrollEnd", {"handle": before["handle"]})
    return after
