"""Fields: fill one, choose in one, fill a whole form."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import attrs
import trio
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.core.targets import OptionalTarget, Selector, required
from kapture.errors import ErrorCode, KaptureError
from kapture.page import fields
from kapture.page.element import Element
from kapture.page.locate import say
from kapture.page.target import as_spec

Value: TypeAlias = Annotated[
    str | bool | float | list[str],
    Meta(description="Text, true or false, 2024-12-31, or a list."),
]


@attrs.frozen(kw_only=True)
class Fill:
    """Replace what a field of any kind holds."""

    target: OptionalTarget = None
    selector: Selector = None
    value: Value


@attrs.frozen(kw_only=True)
class Filled(Answer):
    """The field. `note` says what the page made of the value, where it changed it."""

    element: str
    ref: str
    note: str | None = None

    def text(self) -> str:
        """One line."""
        return f"filled {self.element}" + (f"; {self.note}" if self.note else "")


@command("fill", access=Access.INTERACT, acts=True, idempotent=True)
async def fill(tab: TabContext, params: Fill) -> Filled:
    """Clear it, set it, and let the page know."""
    target = required(params.target, params.selector)
    async with tab.acting():
        filled = await fields.fill(tab.page, target, params.value)
    return Filled(element=filled.element.describe(), ref=filled.element.ref, note=filled.note or None)


@attrs.frozen(kw_only=True)
class Select:
    """Choose options of a select, listbox or combobox."""

    target: OptionalTarget = None
    selector: Selector = None
    value: Annotated[str | list[str] | None, Meta(description="Value or label.")] = None
    label: Annotated[str | list[str] | None, Meta(description="Label.")] = None
    index: Annotated[int | list[int] | None, Meta(description="From 0.")] = None


@attrs.frozen(kw_only=True)
class Selected(Answer):
    """What is chosen now."""

    element: str
    ref: str
    selected: list[str]

    def text(self) -> str:
        """One line."""
        chosen = ", ".join(f'"{label}"' for label in self.selected) or "nothing"
        return f"selected {chosen} in {self.element}"


@command("select", access=Access.INTERACT, acts=True, idempotent=True)
async def select(tab: TabContext, params: Select) -> Selected:
    """Exactly one of value, label and index says which."""
    given = [name for name in ("value", "label", "index") if getattr(params, name) is not None]
    if len(given) != 1:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"Say what to select in one way, not {len(given)}.",
            hint="Give value, label or index.",
            data={"parameters": ["value", "label", "index"]},
        )
    target = required(params.target, params.selector)
    async with tab.acting():
        chosen = await fields.choose(
            tab.page, target, value=_listed(params.value), label=_listed(params.label), index=_listed(params.index)
        )
    return Selected(element=chosen.element.describe(), ref=chosen.element.ref, selected=chosen.labels)


def _listed(given: Any) -> Any:
    return given if given is None or isinstance(given, list) else [given]


@attrs.frozen(kw_only=True)
class Field:
    """One field of a form and its value."""

    target: OptionalTarget = None
    selector: Selector = None
    value: Value


@attrs.frozen(kw_only=True)
class FillForm:
    """Fill many fields of any kind, then submit if asked. Nothing is submitted if a field failed."""

    fields: Annotated[list[Field], Meta(min_length=1, max_length=200, description="In order.")]
    submit: Annotated[bool, Meta(description="Submit as Enter would.")] = False
    submit_target: Annotated[OptionalTarget, Meta(description="What to click to submit.")] = None


@attrs.frozen(kw_only=True)
class FieldResult:
    """One field: what it is, or why it could not be filled."""

    field: str
    filled: bool
    note: str | None = None
    error: dict[str, str] | None = None


@attrs.frozen(kw_only=True)
class FormFilled(Answer):
    """Every field's result, in order."""

    results: list[FieldResult]
    submitted: str

    def text(self) -> str:
        """The failures in full, the rest as a count with what the page changed."""
        good = [result for result in self.results if result.filled]
        lines = [f"filled {len(good)} of {len(self.results)} fields"]
        lines += [f"  {result.field}: {result.note}" for result in good if result.note]
        lines += [
            f"  not filled: {result.field}: {result.error['code']}: {result.error['message']}"
            for result in self.results
            if result.error
        ]
        return "\n".join([*lines, self.submitted] if self.submitted else lines)


@command("fill_form", access=Access.INTERACT, acts=True)
async def fill_form(tab: TabContext, params: FillForm) -> FormFilled:
    """Each field gets its share of the time, so that one that never becomes ready does not take that of others."""
    for field in params.fields:
        required(field.target, field.selector)
    results: list[FieldResult] = []
    submitted = ""
    async with tab.acting():
        for number, field in enumerate(params.fields):
            left_s = trio.current_effective_deadline() - trio.current_time()
            share_s = left_s * 0.9 / (len(params.fields) - number + 1)
            results.append(await _fill_one(tab, field, share_s))
            await tab.progress(number + 1, len(params.fields))
        wants = params.submit or params.submit_target is not None
        if wants and not all(result.filled for result in results):
            submitted = "not submitted, because of the fields that were not filled"
        elif wants:
            submitted = await _submit(tab, params)
    if not any(result.filled for result in results):
        first = next(result.error for result in results if result.error)
        raise KaptureError(
            ErrorCode(first["code"]),
            f"None of {len(results)} fields could be filled. The first: {first['message']}",
            hint=first["hint"],
            data={"fields": [{"field": result.field, "error": result.error} for result in results]},
        )
    return FormFilled(results=results, submitted=submitted)


async def _fill_one(tab: TabContext, field: Field, share_s: float) -> FieldResult:
    target = required(field.target, field.selector)
    name = say(as_spec(target))
    try:
        with trio.fail_after(max(0.05, min(share_s, 86_400))):
            filled = await fields.fill(tab.page, target, field.value)
    except KaptureError as error:
        if error.code in {ErrorCode.DIALOG_OPEN, ErrorCode.DETACHED}:
            raise
        return FieldResult(
            field=name, filled=False, error={"code": error.code, "message": error.message, "hint": error.hint}
        )
    except trio.TooSlowError:
        message = "it did not become ready in its share of the time"
        return FieldResult(
            field=name, filled=False, error={"code": ErrorCode.COMMAND_TIMEOUT, "message": message, "hint": ""}
        )
    return FieldResult(field=filled.element.describe(), filled=True, note=filled.note or None)


async def _submit(tab: TabContext, params: FillForm) -> str:
    if params.submit_target is not None:
        element = await tab.page.click(params.submit_target)
        return f"submitted with {element.describe()}"
    last = params.fields[-1]
    element = await tab.page.locate(required(last.target, last.selector))
    button = await element.call("submitButton")
    if button is None:
        await element.call("submitForm")
        return "submitted"
    clicked = await tab.page.click(Element.of(element.frame, button).target())
    return f"submitted with {clicked.describe()}"
