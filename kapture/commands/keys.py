"""The keyboard: type text, press keys, paste."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import OptionalTarget, Targeted
from kapture.commands.core.registry import Access, command
from kapture.commands.pointer import Modifiers
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page
from kapture.page.actions.keys import (
    KEY_EVENT_CHARS,
    Focused,
    Typing,
    insert_lines,
    press_keys,
    read_typed,
    type_here,
    type_into,
)
from kapture.page.actions.read_back import RECORDED_CHARS, Entered
from kapture.page.documents.frame import Frame
from kapture.page.element import Element, quoted
from kapture.page.input.input_guard import check_focus, focused_frame
from kapture.page.input.keyboard import Key, insert_event, parse_chord
from kapture.page.input.mouse import InputEvent
from kapture.page.program import Purpose
from kapture.page.target import Target


@attrs.frozen(kw_only=True)
class Keyed(Answer):
    """The action, and its element. `note`: what a field holds now if that differs from what was typed."""

    done: str
    element: str | None = None
    note: str | None = None

    def text(self) -> str:
        """One line."""
        done = f"{self.done} {self.element}" if self.element else self.done
        return f"{done}; {self.note}" if self.note else done

    def summary(self) -> str:
        """The same without a single character, which may be one of a password."""
        return re.sub(r"^(pressed|holding|released) \S(?= |$)", r"\1 a key", self.text())


@attrs.frozen(kw_only=True)
class Type(Targeted):
    """Type text into an element, or into what has the focus."""

    text: Annotated[str, Meta(max_length=1_000_000, description="What to type.")]
    clear: Annotated[bool, Meta(description="Replace what is there.")] = False
    press_enter: Annotated[bool, Meta(description="Press Enter afterwards.")] = False
    key_events: Annotated[
        bool | None, Meta(description="A key press for each character; default: for up to 200 characters.")
    ] = None

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
    async with tab.acting():
        typing = Typing(partial(_events, page, params), params.text, params.clear, params.by_keys)
        if target is not None:
            typed: Entered | None = await type_into(page, target, typing)
        elif (field := await _focused(await focused_frame(page.frames), keyed=params.by_keys)) is not None:
            typed = await type_here(page, field, typing)
        elif params.by_keys:
            typed = None
            await page.actions.send_input(typing.events())
        else:
            raise KaptureError(
                ErrorCode.ELEMENT_NOT_ACTIONABLE, "Nothing on the page has the focus.", hint="Name the field as target."
            )
        if params.press_enter:
            typed = typed and await typed.confirmed(later=True)
            await page.keyboard.press("Enter")
    if typed is not None and not params.press_enter:
        typed = await typed.confirmed(later=not tab.shows_page)
    done = _characters(params.text) + " and Enter" * params.press_enter
    if typed is None or not typed.is_field:
        return Keyed(done=f"pressed the keys of {done} in", element=typed.element.describe() if typed else "the page")
    tab.did = _recorded("typed", params.text, " and Enter" * params.press_enter, typed)
    return Keyed(done=f"typed {done} into", element=typed.element.describe(), note=typed.note or None)


def _recorded(done: str, text: str, more: str, entered: Entered) -> str:
    """Describe the typing for the person's list of activities, without the text if it is a secret."""
    if entered.value is None:
        return f"{done} {_characters(text)}{more} into {entered.element.describe()}"
    note = f"; {entered.note}" if entered.note else ""
    return f"{done} {quoted(text, RECORDED_CHARS)}{more} into {entered.element.describe()}{note}"


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
        typed = None
        if params.action == "press":
            text, keyboard = _chord_text(params, names), tab.page.keyboard
            events = partial(keyboard.press_events, text, count=params.count)
            if key.text and key.text.isprintable() and not {*names, *params.modifiers, *keyboard.held} - {"Shift"}:
                typing = Typing(events, key.text * params.count, purpose="focus")
                typed = await _typed(tab, target, typing)
            element = typed.element if typed else await press_keys(tab.page, target, events)
        else:
            element = None if target is None else await _focus(tab, target)
            await check_focus(tab.page.frames)
            await (tab.page.keyboard.down if params.action == "down" else tab.page.keyboard.up)(params.key)
    if typed is not None:
        typed = await typed.confirmed(later=not tab.shows_page)
    times = f" {params.count} times" if params.count > 1 else ""
    done = {"press": f"pressed {chord}{times}", "down": f"holding {_spoken(key)}", "up": f"released {_spoken(key)}"}[
        params.action
    ]
    return Keyed(
        done=f"{done} in" if element else done,
        element=element.describe() if element else None,
        note=typed.note or None if typed else None,
    )


async def _typed(tab: TabContext, target: Target | None, typing: Typing) -> Entered | None:
    """Press keys that make text; None, and nothing pressed, if nothing has the focus that could take it."""
    if target is not None:
        return await type_into(tab.page, target, typing)
    field = await _focused(await focused_frame(tab.page.frames))
    return await type_here(tab.page, field, typing) if field else None


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
    page = tab.page
    async with tab.acting():
        frame = await focused_frame(page.frames) if target is None else (await _focus(tab, target, "type")).frame
        offered = await frame.call("offerPaste", {"text": params.text, "html": params.html})
        to_read = params.text
        if not offered["taken"]:
            if params.html is not None and offered["rich"]:
                inserted = await frame.call("insertHtml", {"html": params.html})
                to_read = "" if inserted["pictures"] else params.text
            elif offered["rich"]:
                await insert_lines(page, params.text)
            else:
                await page.keyboard.insert(params.text)
        if "handle" not in offered:
            return Keyed(done=f"the page took the paste of {_characters(params.text)}")
        field = Focused(Element.of(frame, offered["element"]), offered["handle"])
        pasted = await read_typed(page, field, to_read)
    pasted = await pasted.confirmed(later=True)
    done = "pasted" if pasted.is_field else "the page took the paste of"
    into = "into" if pasted.is_field else "in"
    if pasted.is_field:
        tab.did = _recorded("pasted", params.text, "", pasted)
    return Keyed(
        done=f"{done} {_characters(params.text)} {into}", element=pasted.element.describe(), note=pasted.note or None
    )


async def _focus(tab: TabContext, target: Target, purpose: Purpose = "focus") -> Element:
    ready = await tab.page.actions.ready(target, purpose, prepare={})
    return ready.element


async def _focused(frame: Frame, *, keyed: bool | None = None) -> Focused | None:
    focused = await frame.call("focused", {} if keyed is None else {"keyed": keyed})
    return Focused(Element.of(frame, focused["element"]), focused["handle"], focused["rich"]) if focused else None
