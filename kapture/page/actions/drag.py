"""Drag and drop, for pages that follow the pointer and for those that use native drag and drop.

A native drag (`draggable`, `dragstart`) is intercepted before it reaches the operating system, and dropped with drag
events; whether the press starts one is observed in the page. The pointer moves in steps, one per frame, and beyond the
middle of the drop target: sortable lists make room when the middle of an item has been passed, in either direction
it is laid out.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import attrs
import trio

from kapture.cdp import CdpSession, is_gone
from kapture.errors import DialogOpen, ErrorCode, KaptureError, PolicyDenied, RefExpired, Wording
from kapture.page.element import Element, ReadyElement
from kapture.page.input.mouse import InputEvent, Modifier, Point, modifier_bits
from kapture.page.locator import check_named_frames
from kapture.page.page import Page
from kapture.page.target import Target

_UNMOVED = "it has not moved"
_NUDGE = 6.0
_STEP_PX = 40.0
_FEWEST_STEPS, _MOST_STEPS = 5, 20
_INTERCEPTED_S = 2.0

_BEYOND_PX = 12.0
_BEYOND_SHARE = 0.15
"""How far beyond the middle of the target the pointer moves, in CSS pixels.

Rows of trees take what is dropped on their middle third into them, and what is dropped above or below that before or
after them.
"""


@attrs.frozen
class Dragged:
    """The dragged element, the drop target, and in words where the source is now."""

    source: Element
    onto: Element | None
    moved: str


@attrs.define(eq=False)
class _NativeDrag:
    """The native drag that the page has begun, if it has: what the browser reports of it, for the drag events."""

    begun: trio.Event = attrs.field(factory=trio.Event)
    data: dict[str, Any] = attrs.field(factory=dict)

    def intercepted(self, params: dict[str, Any]) -> None:
        """Note that the browser has intercepted it."""
        self.data = params["data"]
        self.begun.set()


@asynccontextmanager
async def _intercepting(root: CdpSession) -> AsyncIterator[_NativeDrag]:
    """Intercept native drags during the block. After it the person's own drags work again, however it ends."""
    native = _NativeDrag()
    with root.listening({"Input.dragIntercepted": native.intercepted}):
        try:
            await root.send("Input.setInterceptDrags", {"enabled": True})
            yield native
        finally:
            with trio.CancelScope(shield=True), trio.move_on_after(2):
                await root.send("Input.setInterceptDrags", {"enabled": False})


async def drag(
    page: Page,
    source: Target,
    target: Target | None,
    *,
    by: tuple[float, float] = (0, 0),
    modifiers: Sequence[Modifier] = (),
    hold_ms: float = 0,
) -> Dragged:
    """Press on `source`, hold still for this long, move to `target` (or by this many CSS pixels), release.
    `ELEMENT_NOT_ACTIONABLE` if nothing on the page has moved or changed by that."""
    check_named_frames(page.frames, [source, *([target] if target is not None else [])])
    found = await page.actions.ready(target, "drop") if target is not None else None
    start = await page.actions.ready(source, "hover")
    before = await _position(start)
    frame = start.element.frame
    onto: Element | None = None
    dropped = False
    async with _intercepting(page.connection.root) as native:
        await frame.call("watchDrag", {"ref": start.element.number})
        try:
            await page.mouse.move(start.point, modifiers=modifiers)
            await page.mouse.down(modifiers=modifiers)
            await trio.sleep(hold_ms / 1000)
            middle = Point(start.point.x + by[0], start.point.y + by[1])
            end = middle
            nudge = _towards(start.point, middle, _NUDGE) if target is None else _diagonal(start.point)
            await page.mouse.move(nudge, modifiers=modifiers, steps=2)
            if target is not None and found is not None:
                goal = await _aim(page, target, found)
                middle, onto = goal.point, goal.element
                end = _beyond(start.point, goal)
            await _go(page, middle, modifiers)
            if end != middle:
                await _go(page, end, modifiers)
            if native.begun.is_set() or (await frame.call("dragStarted"))["started"]:
                with trio.move_on_after(_INTERCEPTED_S):
                    await native.begun.wait()
            dropped = True
            if native.begun.is_set():
                await _drop(page, middle, native.data, modifiers)
            # Pages that follow the pointer update once per frame: the last move must be drawn before the release.
            await page.mouse.move(end, modifiers=modifiers)
            await page.mouse.up(modifiers=modifiers)
            after = await _position(start, before)
        except BaseException as error:
            if dropped and isinstance(error, DialogOpen):
                return Dragged(start.element, onto, "")  # the page asks about the drop
            # Released on its way, it would be dropped there.
            with trio.CancelScope(shield=True), trio.move_on_after(2), suppress(KaptureError):
                await page.mouse.move(start.point, modifiers=modifiers)
            raise
        finally:
            await page.mouse.release_all()
            frame.notify("endDrag")
    moved = _movement(before, after)
    if moved == _UNMOVED and after and not after["effect"] and not native.begun.is_set():
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{start.element.describe()} has not moved, and nothing on the page has changed.",
            hint=Wording("The page may want a longer press before the pointer moves: give {hold_ms}, such as 500."),
            data={"element": start.element.as_json()},
        )
    return Dragged(start.element, onto, moved)


async def _aim(page: Page, target: Target, found: ReadyElement) -> ReadyElement:
    """Where the drop target is now that the drag has begun. It is looked for again only if the page has rendered it
    anew: what a drag puts into the page, a placeholder or a copy of what is dragged, may match the target, too."""
    if found.handle is None:
        return await page.actions.ready(target, "aim")
    try:
        return await page.actions.ready(found.element.target(), "aim")
    except RefExpired:
        return await page.actions.ready(target, "aim")


async def _go(page: Page, end: Point, modifiers: Sequence[Modifier]) -> None:
    """Move in steps of one frame each: pages see only the last of the moves between two frames."""
    start = page.mouse.position
    way = math.dist((start.x, start.y), (end.x, end.y))
    steps = min(_MOST_STEPS, max(_FEWEST_STEPS, math.ceil(way / _STEP_PX)))
    for step in range(1, steps + 1):
        part = step / steps
        await page.mouse.move(
            Point(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part), modifiers=modifiers
        )


def _diagonal(start: Point) -> Point:
    return Point(start.x + _NUDGE, start.y + _NUDGE)


def _towards(start: Point, end: Point, distance: float) -> Point:
    """A point at this distance from the start in the direction of the end."""
    way = math.dist((start.x, start.y), (end.x, end.y))
    if way == 0:
        return start
    part = distance / way
    return Point(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part)


def _beyond(start: Point, goal: ReadyElement) -> Point:
    """The end of a line from the start through the middle of the target and a little beyond it."""
    box = goal.facts.get("box")
    way = math.dist((start.x, start.y), (goal.point.x, goal.point.y))
    if box is None or way == 0:
        return goal.point
    beyond = min(_BEYOND_PX, _BEYOND_SHARE * min(box["width"], box["height"]))
    return _towards(start, goal.point, way + beyond)


async def _drop(page: Page, at: Point, data: dict[str, Any], modifiers: Sequence[Modifier]) -> None:
    event = {"x": at.x, "y": at.y, "data": data, "modifiers": modifier_bits(modifiers)}
    try:
        for kind in ("dragEnter", "dragOver", "dragOver", "drop"):
            await page.actions.send_input([InputEvent("Input.dispatchDragEvent", {"type": kind, **event})])
    except PolicyDenied:  # the page has put a frame outside the grant there: the drag is still under way
        await page.actions.send_input([InputEvent("Input.dispatchDragEvent", {"type": "dragCancel", **event})])
        raise


async def _position(dragged: ReadyElement, before: Mapping[str, Any] | None = None) -> Mapping[str, Any] | None:
    """The source's current position; None if it is gone, or only a point was given."""
    if dragged.handle is None:
        return None
    try:
        was_in = {} if before is None else {"was_in": before["parent"]}
        position: Mapping[str, Any] | None = await dragged.call("dragPosition", **was_in)
    except KaptureError as error:
        if not is_gone(error):
            raise
        return None
    return position


def _movement(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
    if before is None:
        return ""
    if after is None:
        return "the page has removed it or rendered it anew"
    if not after["stayed"]:
        return f"it is in {after['tag']} now, item {after['index'] + 1} of {after['of']}"
    if before["index"] != after["index"]:
        return f"it is item {after['index'] + 1} of {after['of']} now, and was item {before['index'] + 1}"
    by = (after["x"] - before["x"], after["y"] - before["y"])
    return _UNMOVED if by == (0, 0) else f"it has moved by {by[0]:g}, {by[1]:g}"
