"""Filling: putting values into fields of every kind, and saying what the field holds in the end.

The agent sets what only needs to be set (dates, ranges, colours, selects). Text is typed over what was there with
trusted input, so that the page's own editors take part. Check boxes and custom widgets are clicked, sliders moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import attrs

from kapture.errors import ErrorCode, KaptureError
from kapture.page.actions.choose import choose_in
from kapture.page.actions.click import click
from kapture.page.actions.fill_range import fill_range
from kapture.page.element import Element, ReadyElement
from kapture.page.keyboard import insert_event
from kapture.page.page import Page
from kapture.page.program import AgentCall, Input
from kapture.page.target import Target

FieldValue: TypeAlias = str | bool | float | list[str]


@attrs.frozen
class Filled:
    """A field and what came of it. `holds` is what it holds now where that is not what was asked for."""

    element: Element
    holds: str | None = None

    @property
    def note(self) -> str:
        """For the answer: empty when the field holds what was asked for."""
        return "" if self.holds is None else f'the page made it "{self.holds}"'


async def fill(page: Page, target: Target, value: FieldValue) -> Filled:
    """Replace what a field holds.

    Numbers and booleans are taken as their text; a check box, radio button or switch takes a boolean, a multiple
    select a list. `INVALID_PARAMS` when the field's type refuses the value; `ELEMENT_NOT_ACTIONABLE` when the page
    does not let it take effect.
    """
    ready = await page.ready(target, "fill", prepare={"value": _for_agent(value), "thorough": page.thorough})
    prepared = ready.prepared
    if prepared["how"] == "set":
        page.on_settled(ready.element.frame, prepared)
        return Filled(ready.element, None if prepared["as_asked"] else prepared["value"])
    if prepared["how"] == "toggle":
        return await _toggle(page, ready, prepared)
    if prepared["how"] == "range":
        now = await fill_range(page, ready, prepared)
        return Filled(ready.element, None if now == prepared["wanted"] else f"{now:g}")
    if prepared["how"] == "choose":
        wanted = value if isinstance(value, list) else [str(value)]
        await choose_in(page, ready, {**prepared, "open": False}, wanted, None)
        return Filled(ready.element)
    return await _type_over(page, ready, str(_for_agent(value)))


def _for_agent(value: FieldValue) -> FieldValue:
    if isinstance(value, float) and not isinstance(value, bool) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str | bool | list) else str(value)


async def _type_over(page: Page, ready: ReadyElement, text: str) -> Filled:
    prepared = ready.prepared
    # A page that gives the focus to something else at once would have the text end up there.
    typed = bool(prepared["focused"])
    if not typed and prepared.get("rich"):
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{ready.element.describe()} does not keep the focus.",
            hint="Click it first, then use type without a target.",
            data={"element": ready.element.as_json()},
        )
    finish = {"value": text, "typed": typed, "thorough": page.thorough}
    if typed and text and not prepared.get("rich"):
        call = AgentCall(ready.element.frame, "finishFill", {"handle": ready.handle, **finish})
        (finished,) = await page.run([Input([insert_event(text)]), call])
        now = await finished()
    else:
        if typed and text:
            await insert_lines(page, text, rich=True)
        elif typed and not prepared["empty"]:
            await page.keyboard.press("Delete")
        now = await ready.call("finishFill", **finish)
    page.on_settled(ready.element.frame, now)
    if now["as_asked"]:
        return Filled(ready.element)
    if text and now["empty"]:
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{ready.element.describe()} did not take the value: it is empty now.",
            hint="The field may take only certain values, or may need type with key_events.",
            data={"element": ready.element.as_json()},
        )
    return Filled(ready.element, "…" if prepared.get("password") else now["value"])


async def insert_lines(page: Page, text: str, *, rich: bool) -> None:
    """Insert text at the caret. In rich text a line break is a key of its own."""
    if not rich:
        await page.keyboard.insert(text)
        return
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
        if number:
            await page.keyboard.press("Shift+Enter")
        if line:
            await page.keyboard.insert(line)


async def _toggle(page: Page, ready: ReadyElement, prepared: Mapping[str, Any]) -> Filled:
    element = Element.of(ready.element.frame, prepared["element"])
    if prepared["on"] == prepared["wanted"]:
        return Filled(element)
    await click(page, element.target())
    now = await element.frame.call("toggleState", {"handle": prepared["handle"]})
    if now["on"] != prepared["wanted"]:
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_ACTIONABLE,
            f"{element.describe()} was clicked but is still {'off' if prepared['wanted'] else 'on'}.",
            hint="The page may do this later or not at all: take a snapshot.",
            data={"element": element.as_json()},
        )
    return Filled(element)
