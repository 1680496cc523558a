"""Run one command on a tab and make its whole answer: the facts, what happened, and what the page shows now."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import NoneType
from typing import Any, get_args, get_type_hints

import attrs
import msgspec

from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.context import HubContext, TabContext
from kapture.commands.core.page_after import look_before, page_after, snapshot_mode
from kapture.commands.core.params import SnapshotMode
from kapture.commands.core.registry import Command
from kapture.commands.core.result import CallResult


async def run_on_tab(
    command: Command, tab: TabContext, params: Any, snapshot: SnapshotMode | None = None
) -> CallResult:
    """Run a command of scope `tab`. An acting command's answer goes on with its effects and a snapshot."""
    mode = snapshot_mode(tab, snapshot)
    tab.shows_page = command.shows_page and mode != "none"
    if command.shows_page:
        await look_before(tab, mode)
    answer: Answer = await command.handler(tab, params)
    view = await page_after(tab, mode) if command.shows_page else ""
    lines = [answer.text()]
    data = as_json(answer)
    if effects := [line for outcome in tab.outcomes for line in outcome.lines()] if command.acts else []:
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
    )


async def run_on_hub(command: Command, hub: HubContext, params: Any) -> CallResult:
    """Run a command of scope `hub`."""
    answer: Answer = await command.handler(hub, params)
    return CallResult(
        answer=answer,
        text=answer.text(),
        data=as_json(answer),
        parts=answer.parts(),
        untrusted=command.reads_page and answer.has_page_text(),
    )


def as_json(answer: Answer) -> dict[str, Any]:
    """The facts of an answer as JSON values, without its binary parts. What is None is left out, also inside."""
    data: dict[str, Any] = msgspec.to_builtins(answer)
    for name, optional in _optional_inside(type(answer)):  # type: ignore[arg-type]  # a class is hashable
        value = data.get(name)
        for row in value if isinstance(value, list) else [value]:
            if isinstance(row, dict):
                for key in [key for key in optional if key in row and row[key] is None]:
                    del row[key]
    return {
        field.name: data[field.name]
        for field in attrs.fields(type(answer))
        if not isinstance(getattr(answer, field.name), Blob) and data.get(field.name) is not None
    }


@cache
def _optional_inside(answer: type[Answer]) -> list[tuple[str, list[str]]]:
    """The fields that hold objects, or lists of them, of a class with fields that may be None, and those fields."""
    found = []
    for name, hint in get_type_hints(answer).items():
        for held in _classes(hint):
            optional = [key for key, inner in get_type_hints(held).items() if NoneType in get_args(inner)]
            if optional and held is not Blob:
                found.append((name, optional))
    return found


def _classes(hint: Any) -> Iterator[type]:
    if isinstance(hint, type) and attrs.has(hint):
        yield hint
    for part in get_args(hint):
        yield from _classes(part)
