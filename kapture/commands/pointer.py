"""The pointer: click, hover, drag, and the mouse at coordinates."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import ElementRequired, OptionalTarget
from kapture.commands.core.registry import Access, command
from kapture.errors import ErrorCode, KaptureError
from kapture.page.actions.click import click as click_element
from kapture.page.actions.drag import drag as drag_element
from kapture.page.actions.hover import hover as hover_over
from kapture.page.input.input_guard import check_point
from kapture.page.input.mouse import Point
from kapture.page.target import Target


@attrs.frozen(kw_only=True)
class Pointed(Answer):
    """The action, and its element."""

    done: str
    element: str
    ref: str

    def text(self) -> str:
        """One line."""
        return f"{self.done} {self.element}"


@attrs.frozen(kw_only=True)
class MouseDone(Answer):
    """Where the pointer is now."""

    action: str
    x: float
    y: float

    def text(self) -> str:
        """One line."""
        return f"mouse {self.action} at {self.x:g}, {self.y:g}"


@attrs.frozen(kw_only=True)
class Dragged(Answer):
    """The dragged element, and its destination. `moved` describes where the source is now; None if a point was
    dragged."""

    source: str
    target: str
    moved: str | None = None

    def text(self) -> str:
        """One line."""
        return f"dragged {self.source} {self.target}" + (f"; {self.moved}" if self.moved else "")


Button: TypeAlias = Literal["left", "right", "middle"]
Modifiers: TypeAlias = Annotated[
    list[Literal["Alt", "Control", "Meta", "Shift"]], Meta(description="Keys to hold meanwhile.")
]
_CLICKED = {1: "clicked", 2: "double-clicked", 3: "triple-clicked"}


@attrs.frozen(kw_only=True)
class Click(ElementRequired):
    """Click an element."""

    button: Annotated[Button, Meta(description="Mouse button.")] = "left"
    count: Annotated[int, Meta(ge=1, le=3, description="How many clicks: 2 is a double click.")] = 1
    modifiers: Modifiers = attrs.field(factory=list)


@command("click", access=Access.INTERACT, acts=True)
async def click(tab: TabContext, params: Click) -> Pointed:
    """Click with trusted input, at a point of the element that nothing covers."""
    target = params.required_element
    async with tab.acting():
        element = await click_element(
            tab.page, target, button=params.button, count=params.count, modifiers=params.modifiers
        )
    done = _CLICKED[params.count] if params.button == "left" else f"{params.button}-{_CLICKED[params.count]}"
    return Pointed(done=done, element=element.describe(), ref=element.ref)


@attrs.frozen(kw_only=True)
class Hover(ElementRequired):
    """Move the pointer over an element."""

    modifiers: Modifiers = attrs.field(factory=list)


@command("hover", access=Access.INTERACT, acts=True, idempotent=True)
async def hover(tab: TabContext, params: Hover) -> Pointed:
    """Move the pointer over the element, where it stays."""
    target = params.required_element
    async with tab.acting():
        element = await hover_over(tab.page, target, modifiers=params.modifiers)
    return Pointed(done="hovering over", element=element.describe(), ref=element.ref)


@attrs.frozen(kw_only=True)
class MouseAction:
    """Move, press, release, click or turn the mouse at viewport coordinates (CSS pixels)."""

    action: Literal["move", "click", "down", "up", "wheel"]
    x: float | None = None
    y: float | None = None
    button: Button = "left"
    count: Annotated[int, Meta(ge=1, le=3)] = 1
    delta_x: Annotated[float, Meta(description="For wheel.")] = 0
    delta_y: float = 0
    modifiers: Modifiers = attrs.field(factory=list)


@command("mouse", access=Access.INTERACT, acts=True, toolset="more")
async def mouse(tab: TabContext, params: MouseAction) -> MouseDone:
    """Act at the pointer's position if no coordinates are given."""
    pointer = tab.page.mouse
    if (params.x is None) != (params.y is None):
        raise KaptureError(ErrorCode.INVALID_PARAMS, "Give x and y together.", data={"parameters": ["x", "y"]})
    at = pointer.position if params.x is None or params.y is None else Point(params.x, params.y)
    modifiers = params.modifiers
    if params.action in ("click", "down", "wheel"):
        await check_point(tab.page.frames, at)
    async with tab.acting():
        if params.action == "wheel":
            await pointer.wheel(params.delta_x, params.delta_y, at=at, modifiers=modifiers)
        elif params.action == "click":
            await pointer.click(at, button=params.button, count=params.count, modifiers=modifiers)
        else:
            if at != pointer.position or params.action == "move":
                await pointer.move(at, modifiers=modifiers)
            if params.action == "down":
                await pointer.down(button=params.button, count=params.count, modifiers=modifiers)
            elif params.action == "up":
                await pointer.up(button=params.button, count=params.count, modifiers=modifiers)
    return MouseDone(action=params.action, x=pointer.position.x, y=pointer.position.y)


@attrs.frozen(kw_only=True)
class Drag:
    """Drag an element onto another, or by a distance."""

    source: Annotated[Target, Meta(description="What to drag.")]
    target: Annotated[OptionalTarget, Meta(description="Where to drop it.")] = None
    delta_x: Annotated[float, Meta(description="Or distance to drag, CSS pixels.")] = 0
    delta_y: Annotated[float, Meta(description="By this many CSS pixels down.")] = 0
    modifiers: Modifiers = attrs.field(factory=list)
    hold_ms: Annotated[float, Meta(ge=0, le=10_000, description="Hold this long before moving.")] = 0


@command("drag", access=Access.INTERACT, acts=True, toolset="more")
async def drag(tab: TabContext, params: Drag) -> Dragged:
    """Drag, for pages that follow the pointer and for those that use native drag and drop."""
    by = (params.delta_x, params.delta_y)
    if (params.target is None) == (by == (0, 0)):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            "Give exactly one way to drag.",
            hint="Give target, or delta_x and delta_y.",
            data={"parameters": ["target", "delta_x", "delta_y"]},
        )
    async with tab.acting():
        dragged = await drag_element(
            tab.page, params.source, params.target, by=by, modifiers=params.modifiers, hold_ms=params.hold_ms
        )
    where = f"onto {dragged.onto.describe()}" if dragged.onto else f"by {by[0]:g}, {by[1]:g}"
    moved = dragged.moved or None
    if moved == "it has not moved":
        moved += "; if the page wants a longer press first, give hold_ms"
    return Dragged(source=dragged.source.describe(), target=where, moved=moved)
