"""The keyboard: type text, press keys, paste."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.core.targets import OptionalTarget, Targeted
from kapture.commands.formatters.keys import Keyed
from kapture.commands.pointer import Modifiers
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page
from kapture.page.actions.keys import KEY_EVENT_CHARS, Focused, Typed, Typing, press_keys, type_here, type_into
from kapture.page.documents.frame import Frame
from kapture.page.element import Element
from kapture.page.input.grant_hit_test import check_focus, focused_frame
from kapture.page.input.input_queue import InputEvent
from kapture.page.input.keyboard import insert_event
from kapture.page.input.keys import Key, parse_chord
from kapture.page.program import Purpose
from kapture.page.target import Target


@attrs.frozen(kw_only=True)
class Type(Targeted):
    """Type text into an element, or into what has the focus."""

    text: Annotated[str, Meta(max_length=1_000_000, description="What to type.")]
    clear: Annotated[bool, Meta(description="Replace what is there.")] = False
    press_enter: Annotated[bool, Meta(description="Press Enter afterwards.")] = False
    key_events: Annotated[bool | None, Meta(description="Default: up to 200 characters.")] = None

    @property
    def by_keys(self) -> bool:
        """Whether to press a key for each character. By default text with line breaks is inserted: Enter could
        submit."""
        if self.key_events is not None:
            return self.key_events
        return len(self.text) <= KEY_EVENT_CHARS and not {"\n", "\r"} & set(self.text)


@command("type", access=Access.INTERACT, acts=True)
async def type_text(tab: TabContext, params: Type) -> Keyed:
    """Type at the end of the existing text."""
    page, target = tab.page, params.element
    async with tab.acting() as outcome:
        outcome.typed = not params.press_enter
        typing = Typing(partial(_events, page, params), params.text, params.clear, params.press_enter, tab.look)
        if target is not None:
            typed: Typed | None = await type_into(page, target, typing)
        elif (field := await _focused(await focused_frame(page.frames))) is not None:
            typed = await type_here(page, field, typing)
        else:
            typed = None
            await page.actions.send_input(typing.events())
        if params.press_enter:
            await page.keyboard.press("Enter")
    done = f"typed {_characters(params.text)}{' and Enter' if params.press_enter else ''} into"
    if typed is None:
        return Keyed(done=done, element="the page")
    return Keyed(done=done, element=typed.element.describe(), note=_difference(typed))


def _events(page: Page, params: Type) -> list[InputEvent]:
    events = []
    if params.clear and params.element is None:
        events += page.keyboard.press_events("ControlOrMeta+a")
    if params.clear and not params.text:
        events += page.keyboard.press_events("Delete")
    if params.by_keys:
        events += page.keyboard.type_events(params.text)
    elif params.text:
        events.append(insert_event(params.text))
    return events


def _characters(text: str) -> str:
    return "1 character" if len(text) == 1 else f"{len(text)} characters"


def _difference(typed: Typed) -> str | None:
    """What the field holds, if that is not what was typed."""
    now = typed.now
    if now is None or now["as_asked"]:
        return None
    return "the field now holds something else" if now.get("secret") else f"the field now holds {now['value']!r}"


@attrs.frozen(kw_only=True)
class Press(Targeted):
    """Press a key or chord: Enter, ArrowDown, a, Control+Shift+P, ControlOrMeta+s."""

    key: Annotated[str, Meta(min_length=1, max_length=60, description="Key or chord.")]
    target: Annotated[OptionalTarget, Meta(description="Element to focus first.")] = None
    modifiers: Modifiers = attrs.field(factory=list)
    count: Annotated[int, Meta(ge=1, le=100, description="How many times.")] = 1
    action: Annotated[Literal["press", "down", "up"], Meta(description="down: hold the key until up.")] = "press"


@command("press", access=Access.INTERACT, acts=True)
async def press(tab: TabContext, params: Press) -> Keyed:
    """Press keys in the focused element."""
    target = params.element
    names, key = parse_chord(params.key)
    chord = "+".join([*params.modifiers, *(name for name in names if name not in params.modifiers), _spoken(key)])
    if params.action != "press" and (names or params.modifiers):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            "Only single keys can be held or released.",
            hint="Hold each key with its own call.",
            data={"key": params.key},
        )
    async with tab.acting():
        if params.action == "press":
            text, keyboard = _chord_text(params, names), tab.page.keyboard
            events = partial(keyboard.press_events, text, count=params.count)
            element = await press_keys(tab.page, target, events, tab.look)
        else:
            element = None if target is None else await _focus(tab, target)
            await check_focus(tab.page.frames)
            await (tab.page.keyboard.down if params.action == "down" else tab.page.keyboard.up)(params.key)
    times = f" {params.count} times" if params.count > 1 else ""
    done = {"press": f"pressed {chord}{times}", "down": f"holding {_spoken(key)}", "up": f"released {_spoken(key)}"}[
        params.action
    ]
    return Keyed(done=f"{done} in" if element else done, element=element.describe() if element else None)


def _spoken(key: Key) -> str:
    """The key's name; the space bar's own would not be seen."""
    return "Space" if key.key == " " else key.key


def _chord_text(params: Press, names: list[str]) -> str:
    more = [modifier for modifier in params.modifiers if modifier not in names]
    return "+".join([*more, params.key])


@attrs.frozen(kw_only=True)
class Paste(Targeted):
    """Paste text, or HTML, into an element or into what has the focus. The clipboard is not used."""

    text: Annotated[str, Meta(max_length=1_000_000, description="Plain text to paste.")]
    html: Annotated[str | None, Meta(description="The same content as HTML.")] = None


@command("paste", access=Access.INTERACT, acts=True, toolset="more")
async def paste(tab: TabContext, params: Paste) -> Keyed:
    """Dispatch a paste event first; insert the text unless the page has handled it."""
    target = params.element
    async with tab.acting():
        if target is None:
            frame = await focused_frame(tab.page.frames)
            focused = await _focused(frame)
            element = focused.element if focused else None
        else:
            element = await _focus(tab, target, "type")
            frame = element.frame
        offered = await frame.call("offerPaste", {"text": params.text, "html": params.html})
        if not offered["taken"]:
            if params.html is not None and offered["rich"]:
                await frame.call("insertHtml", {"html": params.html})
            else:
                await tab.page.keyboard.insert(params.text)
    return Keyed(done=f"pasted {_characters(params.text)} into", element=element.describe() if element else "the page")


async def _focus(tab: TabContext, target: Target, purpose: Purpose = "focus") -> Element:
    ready = await tab.page.actions.ready(target, purpose, prepare={})
    return ready.element


async def _focused(frame: Frame) -> Focused | None:
    focused = await frame.call("focused")
    return Focused(Element.of(frame, focused["element"]), focused["handle"]) if focused else None
