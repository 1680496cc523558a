"""Waiting until a client's own JavaScript returns a truthy value."""

from __future__ import annotations

from typing import Annotated

import attrs
import trio
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.deadline import before_timeout, remaining_ms
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, command
from kapture.commands.formatters.waiting import FunctionReturned
from kapture.commands.scripts.script import Script, answer_of, runner_source
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.execution_context import ContextGone
from kapture.page.scripts.script_terminator import ScriptTerminator

_PENDING = "kapture:pending"

# The waiting in the page ends by itself after a while, in case the caller is gone, and is then repeated.
_LONG_MS, _SHORT_MS = 1_000, 100
_ROUND = f"""
    const end = performance.now() + ROUND_MS;
    let last;
    do {{
        try {{
            let value = await code();
            if (call && typeof value === 'function') value = await value();
            if (value) return describeValue(value, limit);
            last = undefined;
        }} catch (error) {{
            last = error;
        }}
        await new Promise((resolve) => {{
            requestAnimationFrame(resolve);
            setTimeout(resolve, 200);
        }});
    }} while (performance.now() < end);
    return describeValue(last && String(last), limit, '{_PENDING}');
"""


def _runner() -> str:
    # Short rounds near the end, so that the code's last exception is known by then.
    ms = _LONG_MS if remaining_ms() > 2 * _LONG_MS else _SHORT_MS
    return runner_source(_ROUND.replace("ROUND_MS", str(ms)))


@attrs.frozen(kw_only=True)
class WaitForFunction:
    """Wait until your JavaScript returns a true value, and answer it."""

    code: Annotated[str, Meta(min_length=1, max_length=1_000_000, description="As for evaluate.")]
    frame: Annotated[str | None, Meta(description="f2, or part of its URL.")] = None


@command("wait_for_function", access=Access.FULL, toolset="more", timeout_ms=SLOW_TIMEOUT_MS, destructive=True)
async def wait_for_function(tab: TabContext, params: WaitForFunction) -> FunctionReturned:
    """Run the code at every animation frame, in whichever document the tab shows; exceptions count as false."""
    began = trio.current_time()
    last: str | None = None
    with before_timeout():
        while True:
            frame = tab.page.frames.main if params.frame is None else tab.page.frames.find(params.frame)
            context = await frame.context("main")
            frame.check_granted()  # the document that the context is of, not the one before
            try:
                terminator = ScriptTerminator(context, params.code, expects_to_wait=True)
                script = Script(frame, context, params.code, wait=terminator.wait, runner=_runner())
                evaluated = await answer_of(frame, await terminator.run(script.run))
            except ContextGone:
                continue
            waited_ms = round((trio.current_time() - began) * 1000)
            if evaluated.type != _PENDING:
                return FunctionReturned(value=evaluated.value, waited_ms=waited_ms)
            last = evaluated.value
    raise KaptureError(
        ErrorCode.COMMAND_TIMEOUT,
        f"Timed out after {round((trio.current_time() - began) * 1000)} ms: the code did not return a truthy value."
        + (f" It last threw {last}." if last else ""),
        hint="Check the code with evaluate, or wait longer with timeout.",
        data={"error": last} if last else None,
    )
