"""Keys and text, for an element or the focused one, in one message with the wait for their effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from kapture.cdp import is_gone
from kapture.errors import DialogOpen, KaptureError, RefExpired
from kapture.page.documents.frame import Frame
from kapture.page.documents.look import Look
from kapture.page.element import Element
from kapture.page.input.grant_hit_test import check_focus, focused_frame, is_mixed
from kapture.page.input.input_queue import InputEvent
from kapture.page.page import Page
from kapture.page.program import Action, AgentCall, Aim, Answer, Input, Step, outcome_of
from kapture.page.target import Target

KEY_EVENT_CHARS = 200
"""Text up to this length is typed key by key unless the caller says otherwise; longer text is inserted at once."""

Events = Callable[[], Sequence[InputEvent]]
"""Makes the events when they are sent, so that keys held at that moment count."""


@attrs.frozen
class Focused:
    """The element with the focus, and the agent's handle for it."""

    element: Element
    handle: int


@attrs.frozen
class Typed:
    """Where text was typed, and what the agent's `typedText` reports of it; None if typing removed the field."""

    element: Element
    now: Mapping[str, Any] | None


async def press_keys(page: Page, target: Target | None, events: Events, look: Look | None = None) -> Element | None:
    """Send keys to an element, which is focused first, or to the focused element. Returns the element. `look`: a
    snapshot to take with it."""
    if target is None:
        await check_focus(page.frames)
        frame = page.frames.main
        if len(page.frames.all()) > 1:
            page.on_touched(frame := await focused_frame(page.frames))
        await _settled(page, frame, await page.actions.run([Input(events()), _settle(page, frame, look)]))
        return None
    if is_mixed(page.frames):
        ready = await page.actions.ready(target, "focus", prepare={})
        await check_focus(page.frames)
        await page.actions.send_input(events())
        return ready.element

    def steps(aim: Aim) -> list[Step]:
        return [Input(events()), _settle(page, aim.frame, look)]

    ready, answers = await page.actions.act(Action(target, "focus", steps, {}))
    await _settled(page, ready.element.frame, answers or ())
    return ready.element


def _settle(page: Page, frame: Frame, look: Look | None) -> AgentCall:
    return AgentCall(frame, "settle", {"thorough": page.thorough}, look)


async def _settled(page: Page, frame: Frame, answers: Sequence[Answer]) -> None:
    for answer in answers:
        if not isinstance(report := await outcome_of(answer, page.awaited), KaptureError):
            page.on_settled(frame, report)  # else the document went away, or a dialog opened: events report both


@attrs.frozen
class Typing:
    """What to type: the events, and the text that they make. `clear`: replace the old text. `more`: the action
    continues after this. `look`: a snapshot to take with it, if it does not."""

    events: Events
    text: str
    clear: bool
    more: bool
    look: Look | None = None


async def type_into(page: Page, target: Target, typing: Typing) -> Typed:
    """Put the caret into an element, at the end of its text or over all of it, and type."""

    def steps(aim: Aim) -> list[Step]:
        return [Input(typing.events()), _typed_text(page, aim.frame, aim.handle, typing)]

    ready, answers = await page.actions.act(Action(target, "type", steps, {"clear": typing.clear}))
    return Typed(ready.element, await _typed(page, ready.element.frame, answers or (), typing))


async def type_here(page: Page, field: Focused, typing: Typing) -> Typed:
    """Type into the focused element."""
    frame = field.element.frame
    answers = await page.actions.run([Input(typing.events()), _typed_text(page, frame, field.handle, typing)])
    return Typed(field.element, await _typed(page, frame, answers, typing))


def _typed_text(page: Page, frame: Frame, handle: int | None, typing: Typing) -> AgentCall:
    asked = {"handle": handle, "text": typing.text, "clear": typing.clear}
    if typing.more:
        return AgentCall(frame, "typedText", asked)
    return AgentCall(frame, "typedText", {**asked, "thorough": page.thorough}, typing.look)


async def _typed(page: Page, frame: Frame, answers: Sequence[Answer], typing: Typing) -> Mapping[str, Any] | None:
    for answer in answers:
        now: Mapping[str, Any] | KaptureError = await outcome_of(answer, page.awaited)
        if isinstance(now, KaptureError):
            if is_gone(now) or isinstance(now, RefExpired | DialogOpen):
                return None  # as a consequence of typing
            raise now
        if not typing.more:
            page.on_settled(frame, now)
        return now
    return None
