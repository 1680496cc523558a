"""Fields: fill one, choose in one, fill a whole form."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import attrs
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.core.targets import ElementRequired
from kapture.commands.formatters.fields import Filled, Selected
from kapture.errors import ErrorCode, KaptureError
from kapture.page.actions.choose import choose as choose_options
from kapture.page.actions.fill import fill as fill_field

Value: TypeAlias = Annotated[
    str | bool | float | list[str],
    Meta(description="Text, true, false, 2024-12-31, or a list."),
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
    filled = await filled.confirmed()
    return Filled(element=filled.element.describe(), ref=filled.element.ref, note=filled.note or None)


@attrs.frozen(kw_only=True)
class Select(ElementRequired):
    """Choose options of a select, listbox or combobox."""

    value: Annotated[str | list[str] | None, Meta(description="Value or label.")] = None
    label: Annotated[str | list[str] | None, Meta(description="Label.")] = None
    index: Annotated[int | list[int] | None, Meta(description="Index, from 0.")] = None


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
    chosen = await chosen.confirmed()
    return Selected(
        element=chosen.element.describe(),
        ref=chosen.element.ref,
        selected=list(chosen.labels),
        note=chosen.note or None,
    )


def _listed(given: Any) -> Any:
    return given if given is None or isinstance(given, list) else [given]
