"""Clicking an element, and verifying that the click hit it.

A press that would hit something else, because the page changed at the last moment, is blocked by the press guard
(kapture/page/agent/act/guards/press_guard.js), and tried again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import trio

from kapture.cdp import is_gone
from kapture.errors import DialogOpen, ErrorCode, KaptureError, Wording
from kapture.page.documents.frame import Frame
from kapture.page.element import Element, ReadyElement
from kapture.page.input.mouse import Modifier, MouseButton
from kapture.page.page import Page
from kapture.page.program import Action, AgentCall, Aim, Answer, Input, Step, outcome_of
from kapture.page.target import Target

_MOST_PRESSES = 20
"""Attempts: a page may cover the element whenever the pointer comes."""

_ONE_PRESS_S = 0.6
"""The part of a timeout that another attempt needs at least, including its waiting."""

_MOST_UNSEEN = 3
"""The browser drops input to documents that it has not drawn yet, or is about to replace."""

_MOST_MOVED = 3
"""Each press that the element moved away from has been received by the page."""


async def click(
    page: Page,
    target: Target,
    *,
    button: MouseButton = "left",
    count: int = 1,
    modifiers: Sequence[Modifier] = (),
) -> Element:
    """Wait until the element can be clicked, and click it; returns the element as it was found."""

    def steps(aim: Aim) -> list[Step]:
        gesture = page.mouse.click_events(aim.point, button=button, count=count, modifiers=modifiers)
        if aim.handle is None:  # the target is a point, whatever is there
            return [Input(gesture)]
        outer = [AgentCall(frame, "afterPress") for frame in aim.frame.ancestors()]
        return [
            Input(gesture),
            *outer,
            AgentCall(aim.frame, "afterPress", {"handle": aim.handle}),
        ]

    presses = unseen = moved = 0
    while True:
        ready, answers = await page.actions.act(Action(target, "click", steps))
        page.mouse.position = ready.point
        missed = await _missed(page, ready, answers or ())
        if missed is None:
            return ready.element
        presses += 1
        unseen += missed.data.get("unseen", False)
        moved += missed.data.get("moved", False)
        if presses == _MOST_PRESSES or unseen == _MOST_UNSEEN or moved == _MOST_MOVED:
            raise missed
        if trio.current_effective_deadline() - trio.current_time() < _ONE_PRESS_S:
            raise missed  # more informative than a timeout
        if ready.element.frame.parent is not None:
            # The browser hit-tests frames by what it drew last, and a hidden tab is not drawn.
            async with page.screencast.force_rendering():
                await page.frames.main.call("awaitPaint")


async def _missed(page: Page, ready: ReadyElement, answers: Sequence[Answer]) -> KaptureError | None:
    """The error of a press that missed; None if it hit its element, or its document cannot be asked any more."""
    frame = ready.element.frame
    for asked, answer in zip((*frame.ancestors(), frame), answers, strict=False):
        seen = await outcome_of(answer, page.awaited)
        if isinstance(seen, KaptureError):
            if is_gone(seen) or isinstance(seen, DialogOpen):
                return None  # as a consequence of the press
            raise seen
        if asked is frame:
            return None if seen["met"] else _not_met(ready, seen, frame)
        if seen["met"] is False:
            return _not_met(ready, seen, asked)
    return None


def _not_met(ready: ReadyElement, seen: Mapping[str, Any], frame: Frame) -> KaptureError:
    """The error for a press that hit, or would have hit, something else. `frame` is where that is."""
    if seen["met"] is None:
        return KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{ready.element.describe()} cannot be clicked: the browser did not pass the press on to the page.",
            hint="A dialog of the browser itself may be open in this tab, as one that asks whether to open another "
            "program: only a person can close that. Else try again.",
            data={"element": ready.element.as_json(), "unseen": True},
        )
    cover, moved = seen.get("cover"), seen.get("moved")
    what = "something else took the press"
    if moved:
        what = "it moved away before the button was released"
    elif cover:
        # What covers the element may belong to a document that the client must not see.
        shown = f"{cover['text']} (ref={frame.ref(cover['ref'])})" if frame.granted else "something"
        what = f"{shown} came over it"
    return KaptureError(
        ErrorCode.ELEMENT_NOT_ACTIONABLE,
        f"{ready.element.describe()} cannot be clicked: when the pointer was there, {what}.",
        hint=Wording("{Look} to see what is there now."),
        data={
            "element": ready.element.as_json(),
            **({"moved": True} if moved else {}),
        },
    )
