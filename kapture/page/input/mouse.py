"""Trusted mouse input, in CSS pixels of the tab's viewport.

The events of one gesture are sent together and waited for together: they arrive in order, and only a move that is
waited for by itself costs a frame of the browser.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeAlias

import attrs
import trio

from kapture.cdp import CdpError, CdpSession, Condition, PendingReply, ResultReference, is_gone
from kapture.cdp.program import INPUT
from kapture.errors import KaptureError
from kapture.page.documents.frame import Frame

MOST_AHEAD = 400
"""Events that are sent before the page has handled those before them: what is sent cannot be taken back when the call
is cancelled, or the grant narrowed. Text that is typed key by key by default has no more."""


@attrs.frozen
class InputEvent:
    """One event: a method of CDP's Input domain and its parameters."""

    method: str
    params: Mapping[str, Any]


SendInput: TypeAlias = Callable[[Sequence[InputEvent]], Awaitable[None]]
"""Sends events together and returns when the page has handled all of them."""


class InputQueue:
    """The input of one tab, sent on its root session, which dispatches it to the right frame."""

    def __init__(self, session: CdpSession, blocked: Callable[[], KaptureError | None]) -> None:
        self._session = session
        self._blocked = blocked

    def submit(
        self, events: Sequence[InputEvent], *, wait_for_previous: bool = False, requires: Sequence[Condition] = ()
    ) -> list[PendingReply]:
        """Send events without waiting; `finish` waits. `DIALOG_OPEN` while a dialog blocks input.

        In `CdpConnection.together`. `wait_for_previous`, `requires`: apply to the first event, see `CdpCommand`.
        """
        if blocked := self._blocked():
            raise blocked
        return [
            self._session.submit(
                event.method,
                event.params,
                wait_for_previous=wait_for_previous if at == 0 else at % MOST_AHEAD == 0,
                requires=requires if at == 0 else (),
                needs=INPUT,
            )
            for at, event in enumerate(events)
        ]

    async def send(self, events: Sequence[InputEvent]) -> None:
        """Send events together and wait until the page has handled all of them."""
        with self._session.connection.together():
            replies = self.submit(events)
        await self.finish(replies)

    async def finish(self, replies: Sequence[PendingReply]) -> None:
        """Wait until the page has handled these events, or has gone away: a key may close the tab before it is up."""
        failure: KaptureError | None = None
        for reply in replies:
            try:
                await reply.wait()
            except KaptureError as error:
                if is_gone(error):
                    continue
                if not isinstance(error, CdpError):
                    raise
                failure = failure or error
        if failure is not None:
            raise failure

    def release(self) -> None:
        """Stop waiting for pending events: a dialog opened, or the page went away."""
        self._session.connection.pending.resolve_input()


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
