"""Run one command on a tab and make its whole answer: the facts, what happened, and what the page shows now."""

from __future__ import annotations

from typing import Any

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
    """The facts of an answer as JSON values, without its binary parts."""
    data: dict[str, Any] = msgspec.to_builtins(answer)
    return {
        field.name: data[field.name]
        for field in attrs.fields(type(answer))
        if not isinstance(getattr(answer, field.name), Blob) and data.get(field.name) is not None
    }
