"""Forms: filling many fields, and submitting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from typing import Annotated

import attrs
import trio
from msgspec import Meta

from kapture.cdp import Skipped
from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import ELEMENT_REQUIRED, ElementRequired, OptionalTarget
from kapture.commands.core.registry import Access, command
from kapture.commands.fields import Value
from kapture.errors import Detached, DialogOpen, ErrorCode, KaptureError
from kapture.page.actions.choose import choose
from kapture.page.actions.click import click
from kapture.page.actions.fill import MOST_IN_A_GROUP, FieldGroup
from kapture.page.actions.read_back import Entered
from kapture.page.element import Element
from kapture.page.locator import check_named_frames, target_words
from kapture.page.target import Target, as_spec


@attrs.frozen(kw_only=True)
class FieldResult:
    """One field: its description, or why it could not be filled."""

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
        """Failures in full, the rest as a count, with what the page changed."""
        good = [result for result in self.results if result.filled]
        lines = [f"filled {len(good)} of {len(self.results)} fields"]
        lines += [f"  {result.field}: {result.note}" for result in good if result.note]
        lines += [
            f"  not filled: {result.field}: {result.error['code']}: {result.error['message']}"
            for result in self.results
            if result.error
        ]
        return "\n".join([*lines, self.submitted] if self.submitted else lines)


def none_filled(results: Sequence[FieldResult]) -> KaptureError:
    """The error of a form of which no field could be filled: that of its first field, with all of them in `data`."""
    first = next(result.error for result in results if result.error)
    several = f"None of the {len(results)} fields could be filled. The first error: "
    return KaptureError(
        ErrorCode(first["code"]),
        f"{several if len(results) > 1 else ''}{first['message']}",
        hint=first["hint"],
        data={"fields": [{"field": result.field, "error": result.error} for result in results]},
    )


@attrs.frozen(kw_only=True)
class Field(ElementRequired):
    """One field of a form and its value."""

    value: Value
    choose: Annotated[bool, Meta(description="Choose among its suggestions.")] = False


@attrs.frozen(kw_only=True)
class FillForm:
    """Fill many fields, then submit if asked, unless one failed."""

    fields: Annotated[
        list[Annotated[Field, Meta(extra_json_schema=ELEMENT_REQUIRED)]],
        Meta(min_length=1, max_length=200, description="Fields in order, each with target and value."),
    ]
    submit: Annotated[bool, Meta(description="Submit as Enter would.")] = False
    submit_target: Annotated[OptionalTarget, Meta(description="What to click to submit.")] = None


@command("fill_form", access=Access.INTERACT, acts=True)
async def fill_form(tab: TabContext, params: FillForm) -> FormFilled:
    """Fill the fields with a share of the time for each, so that one that is never ready does not use up the
    others'."""
    targets = [field.required_element for field in params.fields]  # all are checked before one is filled
    _check_choices(params.fields)
    submit = [params.submit_target] if params.submit_target is not None else []
    check_named_frames(tab.page.frames, [*targets, *submit])
    submitted, pressed = "", None
    async with tab.acting():
        fields = list(zip(targets, params.fields, strict=True))
        wants = params.submit or params.submit_target is not None
        entries = await _fill_all(tab, fields)
        entries = await _confirmed(entries, later=True) if wants else entries
        if wants and not all(isinstance(entry, Entered) for entry in entries):
            submitted = "not submitted, because some fields were not filled"
        elif wants:
            tab.page.watch_changes()
            pressed = await _submit_filled(tab, params)
            submitted = f"submitted with {pressed.describe()}" if pressed else "submitted"
    if not wants:
        entries = await _confirmed(entries)
    filled = [entry.in_record for entry in entries if isinstance(entry, Entered)]
    if any(outcome.refused for outcome in tab.outcomes):  # which says so
        submitted = f"clicked {pressed.describe()}" if pressed else ""
    results = [_result(entry) for entry in entries]
    if not filled:
        raise none_filled(results)
    tab.did = f"filled {', '.join(filled)}" + (f"; {submitted}" if submitted else "")
    return FormFilled(results=results, submitted=submitted)


async def _confirmed(entries: Sequence[Entered | FieldResult], *, later: bool = False) -> list[Entered | FieldResult]:
    """Read fields that were filled back once more: the page may have reset them meanwhile."""
    results: list[Entered | FieldResult] = []
    for entry in entries:
        if isinstance(entry, FieldResult):
            results.append(entry)
            continue
        try:
            results.append(await entry.confirmed(later=later))
        except KaptureError as error:
            results.append(_failed(entry.element.describe(), error))
    return results


def _result(entry: Entered | FieldResult) -> FieldResult:
    if isinstance(entry, FieldResult):
        return entry
    return FieldResult(field=entry.element.describe(), filled=True, note=entry.note or None)


def _failed(field: str, error: KaptureError) -> FieldResult:
    return FieldResult(
        field=field, filled=False, error={"code": error.code, "message": error.message, "hint": error.hint}
    )


def _check_choices(fields: Sequence[Field]) -> None:
    for number, field in enumerate(fields):
        if field.choose and not isinstance(field.value, str | list):
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"fields[{number}] has choose, but its value is not text.",
                hint="Give the text of an option, or leave choose out.",
                data={"parameters": [f"fields[{number}].value"]},
            )


async def _fill_all(tab: TabContext, fields: Sequence[tuple[Target, Field]]) -> list[Entered | FieldResult]:
    """Fill the fields in groups; fields that a group leaves out, and each that is chosen in, begin the next one."""
    results: dict[int, Entered | FieldResult] = {}
    while missing := [number for number in range(len(fields)) if number not in results][:MOST_IN_A_GROUP]:
        first = missing[0]
        fillings: dict[int, Callable[[], Awaitable[Entered]]]
        if fields[first][1].choose:
            fillings = {first: partial(_choose, tab, *fields[first])}
        else:
            typed = list(takewhile(lambda number: not fields[number][1].choose, missing))
            group = FieldGroup(tab.page, [(target, field.value) for target, field in map(fields.__getitem__, typed)])
            fillings = {number: partial(group.fill, at) for at, number in enumerate(typed)}
        for number, filling in fillings.items():
            with suppress(Skipped):
                share_s = _share_s(len(fields) - len(results))
                results[number] = await _fill_one(fields[number][0], filling, share_s)
                await tab.progress(len(results), len(fields))
    return [results[number] for number in range(len(fields))]


async def _choose(tab: TabContext, target: Target, field: Field) -> Entered:
    wanted = field.value if isinstance(field.value, list) else [str(field.value)]
    chosen = await choose(tab.page, target, value=wanted)
    named = ", ".join(f'"{label}"' for label in chosen.labels)
    return chosen if chosen.note or list(chosen.labels) == wanted else attrs.evolve(chosen, note=f"chose {named}")


def _share_s(fields: int) -> float:
    """How long one of this many fields may take, in seconds; submitting counts as another field."""
    left_s = trio.current_effective_deadline() - trio.current_time()
    return max(0.05, min(left_s * 0.9 / (fields + 1), 86_400))


async def _fill_one(target: Target, filling: Callable[[], Awaitable[Entered]], share_s: float) -> Entered | FieldResult:
    name = target_words(as_spec(target))
    try:
        with trio.fail_after(share_s):
            return await filling()
    except (DialogOpen, Detached, Skipped):
        raise
    except KaptureError as error:
        return _failed(name, error)
    except trio.TooSlowError:
        message = "it was not ready within its share of the time"
        return _failed(name, KaptureError(ErrorCode.COMMAND_TIMEOUT, message))


async def _submit_filled(tab: TabContext, params: FillForm) -> Element | None:
    """The same, with errors that say that the fields are filled."""
    try:
        return await _submit(tab, params)
    except (DialogOpen, Detached):
        raise
    except KaptureError as error:
        message = f"All fields are filled, but the form is not submitted. {error.message}"
        raise KaptureError(
            error.code, message, hint=error.advice, data=error.data, quotes_page=error.quotes_page
        ) from error


async def _submit(tab: TabContext, params: FillForm) -> Element | None:
    """Submit, by a click if possible. Returns what was clicked."""
    if params.submit_target is not None:
        return await click(tab.page, params.submit_target)
    last = params.fields[-1]
    element = await tab.page.locate(last.required_element)
    button = await element.call("submitButton")
    if button is None:
        await element.call("submitForm")
        return None
    return await click(tab.page, Element.of(element.frame, button).target())
