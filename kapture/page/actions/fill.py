"""Filling: setting fields of every kind to values, and reporting what each field holds in the end.

The agent sets fields that can simply be set (dates, ranges, colours, selects). Text is typed over the old text with
trusted input, so that the page's own editors take part. Check boxes and custom widgets are clicked, sliders moved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import attrs

from kapture.cdp import Scalar, Skipped, is_gone
from kapture.errors import ErrorCode, KaptureError, RefExpired, Wording
from kapture.page.action_runner import Acted, BegunAction
from kapture.page.actions.choose import choose_in
from kapture.page.actions.click import click
from kapture.page.actions.fill_range import fill_range
from kapture.page.actions.keys import KEY_EVENT_CHARS, Typing, insert_lines, press_keys, send_keys_into
from kapture.page.actions.read_back import Entered, entered
from kapture.page.element import Element, ReadyElement
from kapture.page.input.keyboard import insert_event
from kapture.page.page import Page
from kapture.page.program import Action, AgentCall, Aim, Input, Step, outcome_of
from kapture.page.target import Target

FieldValue: TypeAlias = str | bool | float | list[str]

MOST_IN_A_GROUP = 20


async def fill(page: Page, target: Target, value: FieldValue) -> Entered:
    """Replace a field's value.

    Numbers and booleans are converted to text; a check box, radio button or switch takes a boolean, a multiple select
    a list. `INVALID_PARAMS` if the field's type rejects the value; `VALUE_REFUSED` if the page does not let it take
    effect.
    """
    return await _finish(page, value, await page.actions.act(_action(target, value)))


class FieldGroup:
    """Fields that are filled by one program, as far as possible: the next field is made ready while the effects of
    filling one are waited for. `fill` is called for each of them, in order; then the group is used up."""

    def __init__(self, page: Page, fields: Sequence[tuple[Target, FieldValue]]) -> None:
        self._page = page
        self._fields = fields
        self._begun: list[BegunAction] | None = None

    async def fill(self, at: int) -> Entered:
        """Fill the field at this index, as `fill`. `Skipped` if it was left out, and must be filled by itself."""
        if self._begun is None:
            self._begun = self._page.actions.begin_all([_action(*field) for field in self._fields])
        target, value = self._fields[at]
        if at >= len(self._begun):
            if at:
                raise Skipped
            return await fill(self._page, target, value)
        try:
            return await _finish(self._page, value, await self._page.actions.finish(self._begun[at]))
        except RefExpired as error:
            # Filling the previous field has recreated this one after it had been made ready.
            raise error if at == 0 else Skipped from error


def _action(target: Target, value: FieldValue) -> Action:
    """Text is typed over the old text if the field is a text field and has the focus at that moment: typed text goes
    wherever the focus is."""
    text = _text(value)
    event = insert_event(text)

    def steps(aim: Aim) -> list[Step]:
        finish = {"handle": aim.handle, "value": text, "typed": True}
        return [Input([event]), AgentCall(aim.frame, "finishFill", finish)]

    prepare = {"value": _for_agent(value)}
    requires: dict[str, Scalar] = {"/prepared/how": "text", "/prepared/focused": True, "/prepared/rich": None}
    if not text:
        requires = {"/prepared": None}  # a field that is emptied needs no typing
    return Action(target, "fill", steps, prepare, requires)


async def _finish(page: Page, value: FieldValue, acted: Acted) -> Entered:
    ready, answers = acted
    prepared = ready.prepared
    if answers is not None:
        now = await outcome_of(answers[0], page.awaited)
        if not isinstance(now, KaptureError):
            return await _filled(page, ready, _text(value), now)
        if is_gone(now):
            return Entered(ready.element, typed=True)  # as a consequence of typing
        raise now
    if prepared["how"] == "set":
        return entered(ready.element, prepared, prepared["wanted"], handle=ready.handle)
    if prepared["how"] == "toggle":
        return await _toggle(page, ready, prepared)
    if prepared["how"] == "range":
        reached = await fill_range(page, ready, prepared)
        note = "" if reached == prepared["wanted"] else f'the page made it "{reached:g}"'
        return Entered(ready.element, note, value=f"{reached:g}")
    if prepared["how"] == "choose":
        wanted = value if isinstance(value, list) else [_text(value)]
        labels = await choose_in(page, ready, prepared, wanted, None)
        more = len(labels) > len(wanted)
        chosen = ", ".join(labels)
        return Entered(ready.element, f'the page made it "{chosen}"' if more else "", labels=labels, value=chosen)
    return await _type_over(page, ready, _text(value))


def _text(value: FieldValue) -> str:
    return str(_for_agent(value))


def _for_agent(value: FieldValue) -> FieldValue:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str | bool | list) else str(value)


async def _type_over(page: Page, ready: ReadyElement, text: str) -> Entered:
    prepared = ready.prepared
    # A page that moves the focus elsewhere at once would get the text there.
    typed = bool(prepared["focused"])
    if not typed and prepared.get("rich"):
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{ready.element.describe()} does not keep the focus.",
            hint=Wording("Click it first, then use {type} without a target."),
            data={"element": ready.element.as_json()},
        )
    await _replace(page, text, focused=typed, empty=prepared["empty"])
    now = await ready.call("finishFill", value=text, typed=typed)
    if now["verdict"] == "other" and prepared.get("rich") and typed:
        # Editors with a model of their own may learn of a selection only later than the text comes.
        await page.keyboard.press("ControlOrMeta+a")
        await _replace(page, text, focused=True, empty=False)
        now = await ready.call("finishFill", value=text, typed=True)
    return await _filled(page, ready, text, now)


async def _replace(page: Page, text: str, *, focused: bool, empty: bool) -> None:
    if focused and text:
        await insert_lines(page, text)
    elif focused and not empty:
        await page.keyboard.press("Delete")


async def _filled(page: Page, ready: ReadyElement, text: str, now: Mapping[str, Any]) -> Entered:
    unheard = now["verdict"] == "nothing" and not now["arrived"] and not now.get("astray")
    if unheard and _can_be_keyed(text) and ready.prepared.get("focused"):
        # Fields that set their value themselves, at each key, take no other input.
        keys = Typing(partial(page.keyboard.type_events, text), text, clear=True)
        await send_keys_into(page, ready.element.target(), keys)
        now = await ready.call("finishFill", value=text, typed=True, keyed=True)
    if rest := now.get("rest"):
        await press_keys(page, None, partial(page.keyboard.type_events, rest))
    return entered(ready.element, now, text, handle=None if rest else ready.handle, typed=True)


def _can_be_keyed(text: str) -> bool:
    return 0 < len(text) <= KEY_EVENT_CHARS and text.isprintable()


async def _toggle(page: Page, ready: ReadyElement, prepared: Mapping[str, Any]) -> Entered:
    element = Element.of(ready.element.frame, prepared["element"])
    wanted_state = "on" if prepared["wanted"] else "off"
    if prepared["on"] == prepared["wanted"]:
        return Entered(element, value=wanted_state)
    document = element.frame.loader_id
    await click(page, element.target())
    was = {"role": element.role, "name": element.name, "handle": prepared["handle"]}

    async def state(_: bool = False) -> Entered:
        now = await outcome_of(partial(element.frame.call, "toggleState", was), page.awaited)
        if isinstance(now, KaptureError):
            if is_gone(now) or (isinstance(now, RefExpired) and element.frame.loader_id != document):
                return Entered(element)  # it led to another page, as filters of a shop do
            raise now
        if now["on"] != prepared["wanted"]:
            raise KaptureError(
                ErrorCode.VALUE_REFUSED,
                f"{element.describe()} was clicked but is still {'off' if prepared['wanted'] else 'on'}.",
                hint=Wording("The page may do this later or not at all: {look}."),
                data={"element": element.as_json()},
            )
        return Entered(element, value=wanted_state)

    return attrs.evolve(await state(), again=state)
