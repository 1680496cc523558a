"""Keys and text, for an element or the focused one, in one message with the wait for their effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import attrs

from kapture.cdp import Scalar, is_gone
from kapture.errors import DialogOpen, KaptureError, RefExpired
from kapture.page.actions.read_back import Entered, entered
from kapture.page.documents.frame import Frame
from kapture.page.element import Element
from kapture.page.input.input_guard import check_focus, focused_frame, is_mixed
from kapture.page.input.mouse import InputEvent
from kapture.page.page import Page
from kapture.page.program import Action, AgentCall, Aim, Answer, Input, Step, outcome_of
from kapture.page.target import Target

KEY_EVENT_CHARS = 200
"""Text up to this length is typed key by key unless the caller says otherwise; longer text is inserted at once."""

Events = Callable[[], Sequence[InputEvent]]
"""Makes the events when they are sent, so that keys held at that moment count."""


@attrs.frozen
class Focused:
    """The element with the focus, and the agent's handle for it. `rich`: it is an editor of rich text."""

    element: Element
    handle: int | None
    rich: bool = False


async def press_keys(page: Page, target: Target | None, events: Events) -> Element | None:
    """Send keys to an element, which is focused first, or to the focused element. Returns the element."""
    if target is None:
        await check_focus(page.frames)
        if len(page.frames.all()) > 1:
            page.on_touched(await focused_frame(page.frames))
        await page.actions.run([Input(events())])
        return None
    if is_mixed(page.frames):
        ready = await page.actions.ready(target, "focus", prepare={})
        await check_focus(page.frames)
        await page.actions.send_input(events())
        return ready.element

    def steps(aim: Aim) -> list[Step]:
        return [Input(events())]

    ready, _ = await page.actions.act(Action(target, "focus", steps, {}))
    return ready.element


@attrs.frozen
class Typing:
    """Text to type: the events, and the text that they make. `keyed`: as keys, else it is inserted at once. `clear`:
    replace the old text. `purpose`: "focus" leaves the caret where it is."""

    events: Events
    text: str
    clear: bool = False
    keyed: bool = True
    purpose: Literal["type", "focus"] = "type"


async def type_into(page: Page, target: Target, typing: Typing) -> Entered:
    """Put the caret into an element, at the end of its text or over all of it, and type. `VALUE_REFUSED` if it takes
    nothing of the text."""
    field, answers = await send_keys_into(page, target, typing)
    return await _entered(page, field, answers, typing)


async def send_keys_into(page: Page, target: Target, typing: Typing) -> tuple[Focused, Sequence[Answer]]:
    """The same without judging what has become of it."""

    def steps(aim: Aim) -> list[Step]:
        return [Input(typing.events()), _read_back(aim.frame, aim.handle, typing)]

    requires: dict[str, Scalar] = {"/prepared/rich": None} if _in_lines(typing) else {}
    prepare = {"clear": typing.clear, "keyed": typing.keyed}
    ready, answers = await page.actions.act(Action(target, typing.purpose, steps, prepare, requires))
    if answers is None:
        await insert_lines(page, typing.text)
        answers = await page.actions.run([_read_back(ready.element.frame, ready.handle, typing)])
    return Focused(ready.element, ready.handle), answers


async def type_here(page: Page, field: Focused, typing: Typing) -> Entered:
    """Type into the focused element."""
    after = _read_back(field.element.frame, field.handle, typing)
    if field.rich and _in_lines(typing):
        await insert_lines(page, typing.text)
        return await _entered(page, field, await page.actions.run([after]), typing)
    return await _entered(page, field, await page.actions.run([Input(typing.events()), after]), typing)


async def read_typed(page: Page, field: Focused, text: str) -> Entered:
    """Read back what a field has made of text that was put into it."""
    typing = Typing(lambda: (), text)
    return await _entered(
        page, field, await page.actions.run([_read_back(field.element.frame, field.handle, typing)]), typing
    )


def _in_lines(typing: Typing) -> bool:
    return not typing.keyed and "\n" in typing.text.replace("\r", "\n")


async def insert_lines(page: Page, text: str) -> None:
    """Insert text at the caret of an editor: each line break is a key press."""
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
        if number:
            await page.keyboard.press("Shift+Enter")
        if line:
            await page.keyboard.insert(line)


def _read_back(frame: Frame, handle: int | None, typing: Typing) -> AgentCall:
    return AgentCall(frame, "readBack", {"handle": handle, "text": typing.text, "clear": typing.clear})


async def _entered(page: Page, field: Focused, answers: Sequence[Answer], typing: Typing) -> Entered:
    for answer in answers:
        now: Mapping[str, Any] | KaptureError = await outcome_of(answer, page.awaited)
        if isinstance(now, KaptureError):
            if is_gone(now) or isinstance(now, RefExpired | DialogOpen):
                break  # as a consequence of typing
            raise now
        return entered(field.element, now, typing.text, handle=field.handle, clear=typing.clear, typed=True)
    return Entered(field.element, typed=True)
