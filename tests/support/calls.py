"""Calls as the hub makes them."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import trio

from kapture.commands.core.context import TabContext
from kapture.commands.core.params import Arguments
from kapture.commands.core.registry import get_command
from kapture.hub.call import Call


def call_of(command: str, client: Any = None, timeout_ms: float = 60_000, *, holds: bool = False) -> Call:
    """A call of this command without arguments."""
    arguments = Arguments(params=None, given={}, tab_id=None, timeout_ms=timeout_ms, snapshot=None)
    return Call(command=get_command(command), arguments=arguments, client=cast("Any", client), holds=holds)


def tab_call(command: str, /, **given: Any) -> TabContext:
    """The context of a call on a tab, with these arguments, before the tab's backend has it."""
    nothing = cast("Any", None)
    declared = get_command(command)
    return TabContext(
        command=declared,
        arguments=Arguments(params=declared.params(**given), given=given, tab_id="t1", timeout_ms=1_000, snapshot=None),
        given=given,
        tab_id="t1",
        client=nothing,
        files=nothing,
        hub=cast("Any", SimpleNamespace(recorder=None, opening_tab=nullcontext)),
        progress=nothing,
        invoke_step=nothing,
        pins=nothing,
        allowed_step=nothing,
        wait_connected=_connected,
    )


async def _connected(tab_id: str) -> None:
    await trio.lowlevel.checkpoint()
