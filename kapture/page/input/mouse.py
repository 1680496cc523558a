"""Trusted mouse input, in CSS pixels of the tab's viewport.

The events of one gesture are sent together and waited for together: they arrive in order, and only a move that is
waited for by itself costs a frame of the browser.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeAlias

import attrs
import trio

from kapture.cdp import ResultReference
from kapture.errors import KaptureError
from kapture.page.input.input_queue import InputEvent, SendInput

MouseButton: TypeAlias = Literal["left", "right", "middle", "back", "forward"]
Modifier: TypeAlias = Literal["Alt", "Control", "Meta", "Shift"]

_MODIFIER_BITS: dict[str, int] = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
_RELEASED_WITHIN_S = 2.0
_BUTTON_BITS: dict[str, int] = {"left": 1, "right": 2, "middle": 4, "back": 8, "forward": 16}


def modifier_bits(modifiers: Collection[str]) -> int:
    """The bit field that CDP's input events carry."""
    bits = 0
    for modifier in modifiers:
        bits |= _MODIFIER_BITS[modifier]
    return bits


@attrs.frozen
class Point:
    """A point of the tab's viewport, in CSS pixels from its top left corner."""

    x: float
    y: float


@attrs.frozen
class PendingPoint:
    """A point that an earlier step of the same program determines."""

    x: ResultReference
    y: ResultReference


class Mouse:
    """The tab's mouse."""

    def __init__(self, send: SendInput) -> None:
        self._send = send
        self.position = Point(0, 0)
        self._buttons = 0

    async def move(self, to: Point, *, modifiers: Sequence[Modifier] = (), steps: int = 1) -> None:
        """Move in a straight line, with `steps` events."""
        await self._send(self._move(to, modifiers, steps))

    async def click(
        self, at: Point, *, button: MouseButton = "left", count: int = 1, modifiers: Sequence[Modifier] = ()
    ) -> None:
        """Move to the point, press and release; `count` 2 is a double click, 3 a triple click."""
        self.position = at
        await self._send(self.click_events(at, button=button, count=count, modifiers=modifiers))

    def click_events(
        self,
        at: Point | PendingPoint,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[Modifier] = (),
    ) -> list[InputEvent]:
        """The events of `click`, for a program, after which the caller sets `position`."""
        events = [self.move_event(at, modifiers)]
        for click in range(1, count + 1):
            events += [self._press(button, click, modifiers, at), self._release(button, click, modifiers, at)]
        return events

    def move_event(self, to: Point | PendingPoint, modifiers: Sequence[Modifier] = ()) -> InputEvent:
        """The event of a move in one step, for a program, after which the caller sets `position`."""
        return self._event("mouseMoved", modifiers, to, button=self._held_button())

    async def down(self, *, button: MouseButton = "left", count: int = 1, modifiers: Sequence[Modifier] = ()) -> None:
        """Press a button at the pointer's position and hold it."""
        await self._send([self._press(button, count, modifiers, self.position)])

    async def up(self, *, button: MouseButton = "left", count: int = 1, modifiers: Sequence[Modifier] = ()) -> None:
        """Release a button at the pointer's position."""
        await self._send([self._release(button, count, modifiers, self.position)])

    async def wheel(self, dx: float, dy: float, *, at: Point, modifiers: Sequence[Modifier] = ()) -> None:
        """Turn the wheel over a point: positive `dy` scrolls down, in CSS pixels."""
        self.position = at
        await self._send([self._event("mouseWheel", modifiers, at, deltaX=dx, deltaY=dy)])

    async def tap(self, at: Point) -> None:
        """Touch the point with one finger, and lift it."""
        points = [{"x": at.x, "y": at.y}]
        await self._send(
            [
                InputEvent("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points}),
                InputEvent("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []}),
            ]
        )

    async def release_all(self) -> None:
        """Release all held buttons at the end of a gesture, also of one that fails or is cancelled, whose error is the
        one to report. A page that is too busy to handle it is left; one that opened a dialog has released them."""
        held = [button for button, bit in _BUTTON_BITS.items() if self._buttons & bit]
        if not held:
            return
        with trio.CancelScope(shield=True), trio.move_on_after(_RELEASED_WITHIN_S), suppress(KaptureError):
            await self._send([self._release(button, 1, (), self.position) for button in held])

    def _move(self, to: Point, modifiers: Sequence[Modifier], steps: int) -> list[InputEvent]:
        start = self.position
        events = []
        for step in range(1, steps + 1):
            part = step / steps
            self.position = (
                to if step == steps else Point(start.x + (to.x - start.x) * part, start.y + (to.y - start.y) * part)
            )
            events.append(self.move_event(self.position, modifiers))
        return events

    def _press(self, button: str, count: int, modifiers: Sequence[Modifier], at: Point | PendingPoint) -> InputEvent:
        self._buttons |= _BUTTON_BITS[button]
        return self._event("mousePressed", modifiers, at, button=button, clickCount=count)

    def _release(self, button: str, count: int, modifiers: Sequence[Modifier], at: Point | PendingPoint) -> InputEvent:
        self._buttons &= ~_BUTTON_BITS[button]
        return self._event("mouseReleased", modifiers, at, button=button, clickCount=count)

    def _held_button(self) -> str:
        return next((button for button, bit in _BUTTON_BITS.items() if self._buttons & bit), "none")

    def _event(self, kind: str, modifiers: Sequence[Modifier], at: Point | PendingPoint, **more: Any) -> InputEvent:
        return InputEvent(
            "Input.dispatchMouseEvent",
            {
                "type": kind,
                "x": at.x,
                "y": at.y,
                "modifiers": modifier_bits(modifiers),
                "buttons": self._buttons,
                "pointerType": "mouse",
                **more,
            },
        )
