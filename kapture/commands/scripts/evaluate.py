"""Running a client's JavaScript."""

from __future__ import annotations

from typing import Annotated

import attrs
from msgspec import Meta

from kapture.cdp import CdpError, Refusal
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import OptionalTarget, Targeted
from kapture.commands.core.registry import Access, command
from kapture.commands.scripts.ahead import sent_script
from kapture.commands.scripts.script import Evaluated, Script, answer_of
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.documents.frame import ContextGone
from kapture.page.remote_objects import backend_node_id
from kapture.page.script_terminator import ScriptTerminator


@attrs.frozen(kw_only=True)
class Evaluate(Targeted):
    """Run JavaScript: expression, statements, or a body with return; await works."""

    code: Annotated[str, Meta(min_length=1, max_length=1_000_000, description="JavaScript.")]
    target: Annotated[OptionalTarget, Meta(description="Passed to the code as `element`.")] = None
    frame: Annotated[str | None, Meta(description="Frame: f2, or part of its URL.")] = None


@command("evaluate", access=Access.FULL, destructive=True, long=True)
async def evaluate(tab: TabContext, params: Evaluate) -> Evaluated:
    """Run the code; a script that is still running when the call ends is terminated."""
    target = params.element
    frame = tab.page.frames.main if params.frame is None else tab.page.frames.find(params.frame)
    frame.check_granted()
    element: int | None = None
    if target is not None:
        located = await tab.page.locate(target)
        frame = located.frame
        element = await backend_node_id(located)
    await tab.page.awaited.over()  # code that is sent before would be lost with the document
    context = await frame.context("main")
    frame.check_granted()  # another document may have come meanwhile
    terminator = ScriptTerminator(context, params.code, debugged=tab.page.dialogs.debugged(context.session))
    sent = sent_script(params.code) if element is None else None
    script = Script(frame, context, params.code, wait=terminator.wait, element=element, sent=sent)
    try:
        return await answer_of(frame, await terminator.run(script.run), holds=script.holds)
    except CdpError as error:
        if not error.means(Refusal.SCRIPT_TERMINATED):
            raise
        raise KaptureError(
            ErrorCode.COMMAND_TIMEOUT,
            "Timed out: the code was still running and was stopped.",
            hint=Wording("It ran in part.", "Allow it more time with {timeout}."),
        ) from error
    except ContextGone as error:
        if isinstance(error.__cause__, CdpError) and error.__cause__.means(Refusal.NEVER_SETTLES):
            raise KaptureError(
                ErrorCode.EXECUTION_ERROR,
                "The code awaits a promise that nothing can settle any more: it would never finish.",
                hint="It ran up to there. Await something that ends.",
            ) from error
        raise KaptureError(
            ErrorCode.EXECUTION_ERROR,
            "The page navigated before the code finished; its value is lost.",
            hint=Wording("How far the code ran is not known. {Look} to see where the tab is now."),
        ) from error
