"""Runs one command and makes its complete answer: the facts, the outcome, and the page afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import cache
from typing import Any, get_args, get_type_hints

import attrs
import msgspec

from kapture.commands.core.answer import Answer, Blob, CallResult
from kapture.commands.core.context import HubContext, TabContext
from kapture.commands.core.in_the_way import browser_dialog, undecided
from kapture.commands.core.page_after import look_before, page_after, snapshot_mode
from kapture.commands.core.params import Arguments, SnapshotMode, Targeted
from kapture.commands.core.recorded import recorded
from kapture.commands.core.registry import Command, Lane
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.read_gate import FrameNotGranted
from kapture.page.shown import is_shown
from kapture.page.target import TargetSpec

_LEAST_VIEW = 2_000
"""Characters that an answer always has for the page."""


async def run_on_tab(
    command: Command, tab: TabContext, params: Any, snapshot: SnapshotMode | None = None
) -> CallResult:
    """Run a command of scope `tab`. The answer of an action also has its outcome and a snapshot."""
    mode = snapshot_mode(tab, snapshot)
    tab.shows_page = command.shows_page and (mode != "none" or tab.settles)
    if command.shows_page:
        await look_before(tab, mode)
    before = tab.page.actions.count
    in_the_way = tab.page.browser_dialog.open
    try:
        async with (
            await _shown_to_person(tab, command, params),
            _past_the_widget(tab, command),
            recorded(tab.page, command, params, secret=tab.secret),
        ):
            answer: Answer = await command.handler(tab, params)
    except FrameNotGranted as error:
        error.again = tab.page.actions.count == before
        raise
    except KaptureError as error:
        if found := await browser_dialog(tab, error.code):
            raise error.adding(found.explanation) from None
        if error.code is ErrorCode.COMMAND_TIMEOUT and command.name.startswith("wait_for"):
            raise error.adding(await undecided(tab.page)) from None
        raise
    limit = tab.arguments.limit
    text = answer.text_within(limit - _LEAST_VIEW if tab.shows_page else limit)
    view = await page_after(tab, mode, max(_LEAST_VIEW, limit - len(text))) if command.shows_page else ""
    lines = [text]
    data = as_json(answer)
    outcomes = tab.outcomes if command.acts else []
    effects = [line for outcome in outcomes for line in outcome.lines()]
    if found := await browser_dialog(tab):
        if in_the_way and tab.page.actions.count != before:
            raise found
        if command.acts:
            effects.append(found.explanation)
        elif not answer.exact:
            lines.append(found.explanation)
    if effects:
        lines += effects
        data["effects"] = effects
    if view:
        lines.append(view)
        data["snapshot"] = view
    return CallResult(
        answer=answer,
        text="\n".join(line for line in lines if line),
        data=data,
        parts=answer.parts(),
        untrusted=command.reads_page and answer.has_page_text(),
        url=tab.page.url,
        did=(tab.did or answer.summary()) if command.acts else "",
        new_document=any(outcome.new_document for outcome in tab.outcomes),
        said=answer.said(),
    )


async def _shown_to_person(tab: TabContext, command: Command, params: Any) -> AbstractAsyncContextManager[None]:
    """Have the page show its person what is done, without waiting for that."""
    # What these commands hand to the client holds nothing of Kapture's.
    if command.name == "evaluate":
        tab.page.shown.begin_clear()
    elif command.name == "cdp":
        await tab.page.shown.clear()
    if tab.actor is None or command.lane is not Lane.PAGE or not is_shown(command.name):
        return nullcontext()
    target = params.target if isinstance(params, Targeted) else None
    at_point = isinstance(target, TargetSpec) and target.x is not None
    return tab.page.shown.acting(tab.actor, command.name, at_point=at_point)


def _past_the_widget(tab: TabContext, command: Command) -> AbstractAsyncContextManager[None]:
    """The recorder's widget in the page is its person's: no command presses it."""
    presses = command.acts or command.name == "cdp"
    return tab.page.widget.aside() if presses and command.lane is Lane.PAGE else nullcontext()


async def run_on_hub(command: Command, hub: HubContext, arguments: Arguments) -> CallResult:
    """Run a command of scope `hub`."""
    answer: Answer = await command.handler(hub, arguments.params)
    return CallResult(
        answer=answer,
        text=answer.text_within(arguments.limit),
        data=as_json(answer),
        parts=answer.parts(),
        untrusted=command.reads_page and answer.has_page_text(),
    )


def as_json(answer: Answer) -> dict[str, Any]:
    """The facts of an answer as JSON values, without its binary parts.

    Facts that are None are left out, also inside parts of the answer: output schemas do not allow null. Anything that
    is not a field of the answer or of its parts, such as a value of the page, stays as it is.
    """
    return _facts(answer)


_PLAIN = frozenset({str, bool, int, float})
"""JSON values as they are."""


def _facts(part: Any) -> dict[str, Any]:
    facts = {}
    for name, holds_parts in _fields(type(part)):  # type: ignore[arg-type]  # a class is hashable
        value = getattr(part, name)
        if type(value) in _PLAIN:
            facts[name] = value
        elif value is not None and not isinstance(value, Blob):
            facts[name] = _with_parts(value) if holds_parts else msgspec.to_builtins(value)
    return facts


def _with_parts(value: Any) -> Any:
    if attrs.has(type(value)):
        return _facts(value)
    if isinstance(value, Mapping):
        return {key: _with_parts(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_with_parts(inner) for inner in value]
    return msgspec.to_builtins(value)


@cache
def _fields(part: type) -> tuple[tuple[str, bool], ...]:
    """The names of its fields, each with whether it holds parts of its own."""
    hints = get_type_hints(part)
    return tuple((field.name, _names_part(hints[field.name])) for field in attrs.fields(part))


def _names_part(hint: Any) -> bool:
    return (isinstance(hint, type) and attrs.has(hint)) or any(map(_names_part, get_args(hint)))
