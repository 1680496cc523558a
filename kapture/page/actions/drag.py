"""Drag and drop, for pages that follow the pointer and for those that use the browser's own drags.

A drag of the browser's own (`draggable`, `dragstart`) is intercepted before it reaches the system, and dropped with
drag events; whether the press starts one is seen in the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import trio

from kapture.page.element import Element
from kapture.page.input_queue import InputEvent
from kapture.page.mouse import Modifier, Point, modifier_bits
from kapture.page.page import Page
from kapture.page.target import Target

_STEPS = 5
_NUDGE = 6.0
_INTERCEPTED_S = 2.0


async def drag(
    page: Page,
    source: Target,
    target: Target | None,
    *,
    by: tuple[float, float] = (0, 0),
    modifiers: Sequence[Modifier] = (),
) -> tuple[Element, Element | None]:
    """Press on `source`, move to `target` (or by so many CSS pixels), let go; what was dragged, and where to."""
    if target is not None:
        await page.ready(target, "drop")
    start = await page.ready(source, "hover")
    frame = start.element.frame
    root = page.connection.root
    intercepted = trio.Event()
    dragged: dict[str, Any] = {}

    def on_intercepted(params: dict[str, Any]) -> None:
        dragged.update(params["data"])
        intercepted.set()

    onto: Element | None = None
    with root.listening({"Input.dragIntercepted": on_intercepted}):
        await root.send("Input.setInterceptDrags", {"enabled": True})
        await frame.call("watchDrag")
        try:
            await page.mouse.move(start.point, modifiers=modifiers)
            await page.mouse.down(modifiers=modifiers)
            await page.mouse.move(Point(start.point.x + _NUDGE, start.point.y + _NUDGE), modifiers=modifiers, steps=2)
            if target is None:
                end = Point(start.point.x + by[0], start.point.y + by[1])
            else:
                goal = await page.ready(target, "aim")
                end, onto = goal.point, goal.element
            await _go(page, end, modifiers)
            if intercepted.is_set() or (await frame.call("dragStarted"))["started"]:
                with trio.move_on_after(_INTERCEPTED_S):
                    await intercepted.wait()
            if intercepted.is_set():
                await _drop(page, end, dragged, modifiers)
            # Pages that follow the pointer draw once a frame: the last move must have been drawn before the release.
            await page.mouse.move(end, modifiers=modifiers)
            await page.mouse.up(modifiers=modifiers)
        finally:
            with trio.CancelScope(shield=True), trio.move_on_after(2):
                await page.mouse.release_all()
                await root.send("Input.setInterceptDrags", {"enabled": False})
            frame.notify("endDrag")
    return start.element, onto


async def _go(page: Page, end: Point, modifiers: Sequence[Modifier]) -> None:
    """A frame for each step: pages see only the last of the moves that come between two frames."""
    start = page.mouse.position
    for step in range(1, _STEPS + 1):
        part = step / _STEPS
        await page.mouse.move(
            Point(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part), modifiers=modifiers
        )


async def _drop(page: Page, at: Point, data: dict[str, Any], modifiers: Sequence[Modifier]) -> None:
    event = {"x": at.x, "y": at.y, "data": data, "modifiers": modifier_bits(modifiers)}
    for kind in ("dragEnter", "dragOver", "dragOver", "drop"):
        await page.send_input([InputEvent("Input.dispatchDragEvent", {"type": kind, **event})])
