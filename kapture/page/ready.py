"""Waiting until an element can be acted on, and finding where in the tab's viewport it is.

The waiting happens inside the page (kapture/page/agent/actionability.js), one call for it all. For an element in a
frame each document above says where the frame lies in it, and that a pointer really meets the frame there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import trio

from kapture.errors import ErrorCode, KaptureError
from kapture.page.element import Element, ReadyElement, describe
from kapture.page.frame import Frame
from kapture.page.frame_owners import owner_quad
from kapture.page.frames import FrameTree
from kapture.page.locate import (
    MAX_CANDIDATES,
    Found,
    agent_target,
    ambiguous,
    choose,
    find_all,
    frames_for,
    not_found,
)
from kapture.page.mouse import Point
from kapture.page.target import Target, TargetSpec, as_spec

Purpose: TypeAlias = Literal["click", "hover", "drop", "aim", "type", "fill", "select", "focus", "scroll", "file"]

APPEAR_MS = 1_000
"""How long an element that is not there yet is waited for."""
_LONGEST_MS = 30_000

_CANNOT: dict[str, str] = {
    "click": "cannot be clicked",
    "hover": "cannot be pointed at",
    "drop": "cannot be pointed at",
    "aim": "cannot be pointed at",
    "type": "cannot be typed into",
    "fill": "cannot be filled",
    "select": "cannot be selected from",
    "focus": "cannot be focused",
    "scroll": "cannot be scrolled to",
    "file": "takes no file",
}
_POINTED_AT = {"click", "hover", "drop"}
IN_TAB = {*_POINTED_AT, "aim"}


def patience_ms() -> float:
    """How long to wait in the page: a little less than the nearest deadline, so that the page's own account of
    what was in the way arrives before the deadline does."""
    left_ms = (trio.current_effective_deadline() - trio.current_time()) * 1000
    return min(_LONGEST_MS, max(0.0, left_ms - min(500.0, left_ms * 0.33)))


async def ready(
    tree: FrameTree, target: Target, purpose: Purpose, prepare: Mapping[str, Any] | None = None
) -> ReadyElement:
    """The one element that is meant, once it can be acted on; see `Page.ready`."""
    spec = as_spec(target)
    more: dict[str, Any] = {} if prepare is None else {"prepare": prepare}
    if spec.x is not None and spec.y is not None:
        element = choose(spec, await find_all(tree, spec))
        return ReadyElement(element, Point(spec.x, spec.y), {"type": ""})
    frames = frames_for(tree, spec)
    if len(frames) > 1:
        element = await _appear(tree, spec, frames)
        return await _ready_in(element.frame, spec, {"target": {"ref": element.number}, **more}, purpose)
    args: dict[str, Any] = {"target": agent_target(spec), **more}
    if spec.nth is not None:
        args["nth"] = spec.nth
    return await _ready_in(frames[0], spec, args, purpose)


async def _appear(tree: FrameTree, spec: TargetSpec, frames: list[Frame]) -> Element:
    """Look in all frames; when none has it, wait for the first that will."""
    found = await find_all(tree, spec, limit=max(MAX_CANDIDATES, (spec.nth or 0) + 1))
    if not found.total:
        args = {"target": agent_target(spec), "limit": 1, "appear": min(APPEAR_MS, patience_ms())}
        async with trio.open_nursery() as nursery:

            async def watch(frame: Frame) -> None:
                try:
                    answer = await frame.call("locate", args)
                except KaptureError:
                    return  # this frame has gone; the others are still looked at
                if answer["total"]:
                    nursery.cancel_scope.cancel()

            for frame in frames:
                nursery.start_soon(watch, frame)
        found = await find_all(tree, spec, limit=max(MAX_CANDIDATES, (spec.nth or 0) + 1))
    return choose(spec, found)


async def _ready_in(frame: Frame, spec: TargetSpec, args: Mapping[str, Any], purpose: Purpose) -> ReadyElement:
    patience = patience_ms()
    call = {**args, "purpose": purpose, "timeout": patience, "appear": APPEAR_MS, "limit": MAX_CANDIDATES}
    try:
        # What is prepared changes the page, and is not done twice.
        answer = await frame.call("ready", call)
    except KaptureError as error:
        if error.code is ErrorCode.ELEMENT_NOT_ACTIONABLE and "element" in error.data:
            raise not_actionable(error, purpose) from error
        raise
    if answer["status"] != "ready":
        elements = [Element.of(frame, told) for told in answer.get("matches", ())]
        found = Found(elements, answer["total"], answer.get("near", ()))
        if answer["status"] == "many":
            raise ambiguous(spec, found)
        if answer["status"] == "none":
            raise not_found(spec, found.near)
        choose(spec, found)
    element = Element.of(frame, answer["element"])
    if purpose not in IN_TAB:
        return ReadyElement(element, Point(answer["point"]["x"], answer["point"]["y"]), answer)
    point = Point(answer["point"]["x"], answer["point"]["y"])
    return ReadyElement(element, await to_root(frame, point, element, purpose), answer)


async def to_root(frame: Frame, point: Point, element: Element, purpose: Purpose) -> Point:
    """A place of a frame's viewport in the tab's viewport, every frame on the way brought into view."""
    inner = frame
    pressed = purpose == "click"
    for parent in frame.ancestors():
        # A frame's place tells nothing of the parent's contents, so a parent outside the grant may be asked.
        answer = await parent.call("framePoint", {"frame": inner.key, "x": point.x, "y": point.y})
        if answer.get("turned"):
            answer["point"] = await _turned(inner, point)
        elif (cover := answer.get("cover")) and purpose in _POINTED_AT:
            raise _covered_frame(element, inner, parent, cover, purpose)
        if pressed:
            await parent.call("expectNoPress")
        point = Point(answer["point"]["x"], answer["point"]["y"])
        inner = parent
    return point


async def _turned(inner: Frame, point: Point) -> dict[str, float]:
    """Map through the corners of a rotated or skewed frame element, as the browser knows them."""
    x0, y0, x1, y1, _, _, x3, y3 = await owner_quad(inner)
    size = await inner.call("viewportSize", {})
    across, down = point.x / size["width"], point.y / size["height"]
    return {
        "x": x0 + (x1 - x0) * across + (x3 - x0) * down,
        "y": y0 + (y1 - y0) * across + (y3 - y0) * down,
    }


def not_actionable(error: KaptureError, purpose: Purpose) -> KaptureError:
    """The agent's reason as a sentence about the element."""
    told = error.data["element"]
    cover = error.data.get("cover")
    at = f", ref={cover['ref']}" if cover else ""
    why = error.message if error.data.get("sentence") else f"{_CANNOT[purpose]}: {error.message}"
    return KaptureError(
        ErrorCode.ELEMENT_NOT_ACTIONABLE,
        f"{describe(told['tag'], told['name'], told['ref'])} {why}{at}.",
        hint=error.hint or ("Deal with what covers it first, for example by closing it." if cover else ""),
        data=error.data,
    )


def missed(ready: ReadyElement, told: Mapping[str, Any], frame: Frame) -> KaptureError:
    """A press that would have met, or has met, something else than its element."""
    cover = told.get("cover")
    what = f"{cover['text']} (ref={frame.ref(cover['ref'])}) came over it" if cover else "something else took the press"
    return KaptureError(
        ErrorCode.ELEMENT_NOT_ACTIONABLE,
        f"{ready.element.describe()} cannot be clicked: when the pointer was there, {what}.",
        hint="Take a snapshot to see what is there now.",
        data={"element": ready.element.as_json(), **({"unseen": True} if told["met"] is None else {})},
    )


def _covered_frame(
    element: Element, inner: Frame, parent: Frame, cover: Mapping[str, Any], purpose: Purpose
) -> KaptureError:
    # What covers the frame belongs to another document, which may be one that the client must not see.
    text, at = (cover["text"], f", ref={parent.ref(cover['ref'])}") if parent.granted else ("something", "")
    return KaptureError(
        ErrorCode.ELEMENT_NOT_ACTIONABLE,
        f"{element.describe()} {_CANNOT[purpose]}: {text} covers it in the document of frame {inner.key}{at}.",
        hint="Deal with what covers it first, for example by closing it.",
        data={"element": element.as_json()},
    )
