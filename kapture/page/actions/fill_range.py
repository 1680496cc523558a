"""Sliders and spinbuttons that are not inputs: setting them by keys, or else by dragging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.element import Element, ReadyElement
from kapture.page.input.mouse import Point
from kapture.page.page import Page

_MOST_ROUNDS = 12
_MOST_PRESSES = 200  # per round
_DRAGS = 3
_STEPS = 4  # of the pointer, for pages that follow it


async def fill_range(page: Page, ready: ReadyElement, prepared: Mapping[str, Any]) -> float:
    """Set the range; returns the value it has in the end, the wanted one or the nearest that it accepts.

    `INVALID_PARAMS` if the value is out of bounds, `VALUE_REFUSED` if neither keys nor dragging move it.
    """
    wanted: float = prepared["wanted"]
    low, high = prepared["min"], prepared["max"]
    if (low is not None and wanted < low) or (high is not None and wanted > high):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"{ready.element.describe()} takes numbers from {_bound(low)} to {_bound(high)}, not {wanted:g}.",
            data={"min": low, "max": high},
            quotes_page=True,
        )
    if prepared["now"] is None and prepared["focused"]:  # empty
        await page.keyboard.press("ArrowUp")
    started = now = await _value(ready)  # read again: the value found while making it ready may be outdated
    if prepared["focused"]:
        now = await _by_keys(page, ready, {**prepared, "now": now}, wanted)
    if now != wanted and low is not None and high is not None:
        now = await _nearer(page, ready, {**prepared, "now": now}, wanted)
    if now == started != wanted:
        raise KaptureError(
            ErrorCode.VALUE_REFUSED,
            f"{ready.element.describe()} did not take the value: it is still {now:g}.",
            hint="Neither arrow keys nor dragging move it. Look for a field or buttons beside it.",
            data={"element": ready.element.as_json(), "value": now},
        )
    return now


async def _by_keys(page: Page, ready: ReadyElement, state: Mapping[str, Any], wanted: float) -> float:
    up, down = ("ArrowUp", "ArrowDown") if state["upwards"] else ("ArrowRight", "ArrowLeft")
    now: float = state["now"]
    step = 0.0  # the change of one press of the arrow-up key; negative in pages that run from right to left
    for _ in range(_MOST_ROUNDS):
        if now == wanted or (step and abs(wanted - now) < abs(step) / 2):
            break
        rises = (wanted > now) == (step >= 0)
        presses = max(1, min(_MOST_PRESSES, round(abs((wanted - now) / step)))) if step else 1
        await page.keyboard.press(up if rises else down, count=presses)
        before, now = now, await _value(ready)
        if now == before:
            break
        step = (now - before) / presses * (1 if rises else -1)
    return now


async def _nearer(page: Page, ready: ReadyElement, state: Mapping[str, Any], wanted: float) -> float:
    """Drag, for values between those that keys step through; go back to these if that comes no nearer."""
    by_keys: float = state["now"]
    now = await _by_dragging(page, ready, state, wanted)
    if abs(now - wanted) > abs(by_keys - wanted) and state["focused"]:
        now = await _by_keys(page, ready, {**state, "now": now}, wanted)
    return now


async def _by_dragging(page: Page, ready: ReadyElement, state: Mapping[str, Any], wanted: float) -> float:
    now: float = state["now"]
    length = state["length"] / ((state["max"] - state["min"]) or 1)  # pixels per unit
    for _ in range(_DRAGS):
        if now == wanted:
            break
        # Keys, and the drag before, have moved the thumb; and only a point of the tab can be pressed.
        thumb = Element.of(ready.element.frame, (await ready.call("rangeState"))["element"])
        at = (await page.actions.ready(thumb.target(), "hover")).point
        pixels = (wanted - now) * length
        end = Point(at.x, at.y - pixels) if state["vertical"] else Point(at.x + pixels, at.y)
        await page.mouse.move(at)
        try:
            await page.mouse.down()
            await page.mouse.move(end, steps=_STEPS)
            await page.mouse.up()
        finally:
            await page.mouse.release_all()
        before, now = now, await _value(ready)
        if now == before:
            break
        length = abs(pixels / (now - before))  # bounds may follow a second thumb, and say nothing of the track
    return now


async def _value(ready: ReadyElement) -> float:
    state = await ready.call("rangeState")
    value: float | None = state["now"]
    if value is None:
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{ready.element.describe()} does not report its value.",
            hint=Wording("{Look}.", "{press} sends it arrow keys."),
            data={"element": ready.element.as_json()},
        )
    return value


def _bound(value: float | None) -> str:
    return "any" if value is None else f"{value:g}"
