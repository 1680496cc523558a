"""Waiting until an element can be acted on, and finding its position in the tab's viewport.

The waiting happens inside the page (kapture/page/agent/act/readiness/ready.js), in one call. For an element in a frame
each parent document reports the frame's position, and checks that a pointer would hit the frame there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

import attrs
import trio

from kapture.cdp import Condition, Scalar
from kapture.errors import ElementNotActionable, ErrorCode, KaptureError
from kapture.page.agent_answers import spell_refs
from kapture.page.agent_functions import FUNCTIONS
from kapture.page.documents.frame import Frame, PendingCall, owner_quad
from kapture.page.element import Element, ReadyElement, describe
from kapture.page.input.mouse import PendingPoint, Point
from kapture.page.locator import MAX_CANDIDATES, Found, Locator
from kapture.page.program import Aim, Purpose

APPEAR_MS = 1_000
"""How long to wait for an element that does not exist yet."""
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

_UNCOVER = "Deal with what covers it first: close it, or hover over something else if it opened by hovering."


def patience_ms() -> float:
    """How long to wait in the page: a little less than until the nearest deadline, so that the page's own report of
    what is in the way arrives before it."""
    left_ms = (trio.current_effective_deadline() - trio.current_time()) * 1000
    return min(_LONGEST_MS, max(0.0, left_ms - min(500.0, left_ms * 0.33)))


async def make_ready(locator: Locator, purpose: Purpose, prepare: Mapping[str, Any] | None = None) -> ReadyElement:
    """Wait until the target's element can be acted on; see `ActionRunner.ready`."""
    if locator.point is not None:
        element = await locator.find_one()
        if purpose in IN_TAB:
            return ReadyElement(element, locator.point, {"type": ""})
        return await _request(element.frame, locator, purpose, prepare, {"target": {"ref": element.number}}).send()
    return await (await request_for(locator, purpose, prepare)).send()


@attrs.frozen(kw_only=True)
class ReadyRequest:
    """A call of one frame's agent to make an element ready."""

    frame: Frame
    locator: Locator
    purpose: Purpose
    args: Mapping[str, Any]

    async def send(self) -> ReadyElement:
        """Send the call, and wait until the element is ready."""
        return await self.finish(self.frame.call("ready", {**self.args, **_bounds()}))

    def begin(self, handle: int, *, patient: bool) -> PendingReady | None:
        """Send the call as a step of a program; returns None if a point takes more than this step, or the document does
        not exist yet. Unless `patient`, the agent does not wait for the element."""
        if self.purpose in IN_TAB and self.frame.parent is not None:
            return None
        bounds = _bounds() if patient else {"timeout": 0.0, "appear": 0.0}
        call = self.frame.begin("ready", {**self.args, **bounds, "handle": handle})
        return None if call is None else PendingReady(self, call, handle)

    @property
    def may_be_repeated(self) -> bool:
        """Whether to repeat the call when the document goes away meanwhile."""
        return FUNCTIONS["ready"].may_retry(self.args)

    async def finish(self, answering: Awaitable[Mapping[str, Any]]) -> ReadyElement:
        """The element that the agent has made ready, from its answer."""
        try:
            answer = await answering
        except ElementNotActionable as error:
            raise (not_actionable(error, self.purpose) if "element" in error.data else error) from error
        frame, locator = self.frame, self.locator
        if answer["status"] != "ready":
            elements = [Element.of(frame, match) for match in answer.get("matches", ())]
            found = Found(elements, answer["total"], [spell_refs(one, frame.ref) for one in answer.get("near", ())])
            if answer["status"] == "many":
                raise locator.ambiguous(found)
            if answer["status"] == "none":
                raise locator.not_found(found.near)
            locator.choose(found)
        element = Element.of(frame, answer["element"])
        point = Point(answer["point"]["x"], answer["point"]["y"])
        if self.purpose in IN_TAB:
            point = await tab_point(frame, point, element, self.purpose)
        return ReadyElement(element, point, answer)


@attrs.frozen
class PendingReady:
    """An element that is made ready by the first step of a program."""

    request: ReadyRequest
    call: PendingCall
    handle: int

    @property
    def aim(self) -> Aim:
        """Return the target of the next steps."""
        point = self.call.value.at("/point")
        return Aim(self.request.frame, PendingPoint(point.at("/x"), point.at("/y")), self.handle)

    def conditions(self, requires: Mapping[str, Scalar]) -> list[Condition]:
        """Conditions for the next steps: the element was ready at once, and the answer has these values."""
        value = self.call.value
        return [Condition(value.at(path), wanted) for path, wanted in {"/at_once": True, **requires}.items()]

    async def finish(self) -> ReadyElement:
        """Wait until it is ready. `ContextGone` if its document goes away first."""
        return await self.request.finish(self.call.finish())


async def request_for(locator: Locator, purpose: Purpose, prepare: Mapping[str, Any] | None) -> ReadyRequest:
    """The call to make; if several frames may hold the target, of the frame that does."""
    if len(locator.frames) == 1:
        return request_in(locator.frames[0], locator, purpose, prepare)
    element = await _appear(locator)
    return _request(element.frame, locator, purpose, prepare, {"target": {"ref": element.number}})


def request_in(frame: Frame, locator: Locator, purpose: Purpose, prepare: Mapping[str, Any] | None) -> ReadyRequest:
    """The call of this frame's agent."""
    target: dict[str, Any] = {"target": locator.query}
    if locator.nth is not None:
        target["nth"] = locator.nth
    return _request(frame, locator, purpose, prepare, target)


def _request(
    frame: Frame,
    locator: Locator,
    purpose: Purpose,
    prepare: Mapping[str, Any] | None,
    target: Mapping[str, Any],
) -> ReadyRequest:
    args = {**target, "purpose": purpose, "limit": MAX_CANDIDATES}
    if prepare is not None:
        args["prepare"] = prepare
    return ReadyRequest(frame=frame, locator=locator, purpose=purpose, args=args)


def _bounds() -> dict[str, float]:
    return {"timeout": patience_ms(), "appear": APPEAR_MS}


async def _appear(locator: Locator) -> Element:
    """Look in all frames; if none has the element, wait for the first that does."""
    limit = max(MAX_CANDIDATES, (locator.nth or 0) + 1)
    found = await locator.find_all(limit=limit)
    if not found.total:
        args = {"target": locator.query, "limit": 1, "appear": min(APPEAR_MS, patience_ms())}
        async with trio.open_nursery() as nursery:

            async def watch(frame: Frame) -> None:
                try:
                    answer = await frame.call("locate", args)
                except KaptureError:
                    return  # this frame is gone; the search goes on in the others
                if answer["total"]:
                    nursery.cancel_scope.cancel()

            for frame in locator.frames:
                nursery.start_soon(watch, frame)
        found = await locator.find_all(limit=limit)
    return locator.choose(found)


async def tab_point(frame: Frame, point: Point, element: Element, purpose: Purpose) -> Point:
    """Convert a point of a frame's viewport to the tab's viewport, scrolling every parent frame into view."""
    inner = frame
    pressed = purpose == "click"
    for parent in frame.ancestors():
        # A frame's position reveals nothing of the parent's contents, so a parent outside the grant may be asked.
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
    """Convert a point through the corners of a rotated or skewed frame element, as the browser reports them."""
    x0, y0, x1, y1, _, _, x3, y3 = await owner_quad(inner)
    size = await inner.call("viewportSize", {})
    across, down = point.x / size["width"], point.y / size["height"]
    return {
        "x": x0 + (x1 - x0) * across + (x3 - x0) * down,
        "y": y0 + (y1 - y0) * across + (y3 - y0) * down,
    }


def not_actionable(error: KaptureError, purpose: Purpose) -> KaptureError:
    """The agent's reason as a message about the element."""
    element = error.data["element"]
    cover = error.data.get("cover")
    at = f", ref={cover['ref']}" if cover else ""
    why = error.message if error.data.get("sentence") else f"{_CANNOT[purpose]}: {error.message}"
    return KaptureError(
        ErrorCode.ELEMENT_NOT_ACTIONABLE,
        f"{describe(element['tag'], element['name'], element['ref'])} {why}{at}.",
        hint=error.advice or (_UNCOVER if cover else ""),
        data=error.data,
    )


def _covered_frame(
    element: Element, inner: Frame, parent: Frame, cover: Mapping[str, Any], purpose: Purpose
) -> KaptureError:
    # What covers the frame belongs to another document, which the client may not be allowed to see.
    text, at = (cover["text"], f", ref={parent.ref(cover['ref'])}") if parent.granted else ("something", "")
    return KaptureError(
        ErrorCode.ELEMENT_NOT_ACTIONABLE,
        f"{element.describe()} {_CANNOT[purpose]}: {text} covers it in the document of frame {inner.key}{at}.",
        hint=_UNCOVER,
        data={"element": element.as_json()},
    )
