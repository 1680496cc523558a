"""Fields: fill one, choose in one, fill a whole form."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import ElementRequired
from kapture.commands.core.registry import Access, command
from kapture.errors import ErrorCode, KaptureError
from kapture.page.actions.choose import choose as choose_options
from kapture.page.actions.fill import fill as fill_field
from kapture.snapshot.quoting import quote

_LONGEST = 200
"""The longest label of an option, in characters."""


@attrs.frozen(kw_only=True)
class Filled(Answer):
    """The field. `note` says what the page made of the value, if it changed it."""

    element: str
    ref: str
    note: str | None = None

    def text(self) -> str:
        """One line."""
        return f"filled {self.element}" + (f"; {self.note}" if self.note else "")


@attrs.frozen(kw_only=True)
class Selected(Answer):
    """The options that are chosen now. `note`: what the page made of the choice, if it is another one."""

    element: str
    ref: str
    selected: list[str]
    note: str | None = None

    def text(self) -> str:
        """One line."""
        chosen = ", ".join(quote(label, _LONGEST) for label in self.selected) or "nothing"
        return (
            f"{self.element} did not keep the choice: {self.note}"
            if self.note
            else f"selected {chosen} in {self.element}"
        )


Value: TypeAlias = Annotated[
    str | bool | float | list[str],
    Meta(description="Text, an option, true or false for a checkbox, or 2024-12-31 for a date."),
]


@attrs.frozen(kw_only=True)
class Fill(ElementRequired):
    """Set the value of a field of any kind."""

    value: Value


@command("fill", access=Access.INTERACT, acts=True, idempotent=True)
async def fill(tab: TabContext, params: Fill) -> Filled:
    """Clear the field and set it, with the events that a user's input causes."""
    target = params.required_element
    async with tab.acting():
        filled = await fill_field(tab.page, target, params.value)
    filled = await filled.confirmed(later=not tab.shows_page)
    tab.did = f"filled {filled.in_record}"
    return Filled(element=filled.element.describe(), ref=filled.element.ref, note=filled.note or None)


@attrs.frozen(kw_only=True)
class Select(ElementRequired):
    """Choose options of a select, listbox or combobox."""

    value: Annotated[str | list[str] | None, Meta(description="Value or label of the option.")] = None
    label: Annotated[str | list[str] | None, Meta(description="Label of the option.")] = None
    index: Annotated[int | list[int] | None, Meta(description="Index of the option, from 0.")] = None


@command("select", access=Access.INTERACT, acts=True, idempotent=True)
async def select(tab: TabContext, params: Select) -> Selected:
    """Choose by exactly one of value, label and index."""
    if params.value == "" and (params.label is not None or params.index is not None):
        params = attrs.evolve(params, value=None)
    given = [name for name in ("value", "label", "index") if getattr(params, name) is not None]
    if len(given) != 1:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"Give exactly one of value, label and index; got {len(given)}.",
            hint="value also matches labels.",
            data={"parameters": ["value", "label", "index"]},
        )
    target = params.required_element
    async with tab.acting():
        chosen = await choose_options(
            tab.page,
            target,
            value=_listed(params.value),
            label=_listed(params.label),
            index=_listed(params.index),
        )
    chosen = await chosen.confirmed(later=not tab.shows_page)
    return Selected(
        element=chosen.element.describe(),
        ref=chosen.element.ref,
        selected=list(chosen.labels),
        note=chosen.note or None,
    )


def _listed(given: Any) -> Any:
    return given if given is None or isinstance(given, list) else [given]
