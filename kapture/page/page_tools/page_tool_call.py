"""One call of a tool that a page declares, from the request to its answer or its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Literal, TypeAlias

import attrs
import trio

from kapture.cdp import CdpError, PendingReply, Refusal
from kapture.cdp.browser_errors import METHOD_NOT_FOUND
from kapture.changed import Changed
from kapture.errors import Detached, DialogOpen, ElementNotFound, ErrorCode, KaptureError
from kapture.page.agent_answers import thrown
from kapture.page.dialogs import Dialogs
from kapture.page.documents.frame import ContextGone
from kapture.page.documents.frames import FrameTree
from kapture.page.page_tools.page_tools import PageTool, ask_page
from kapture.page.scripts.script_terminator import ScriptTerminator

Ending: TypeAlias = Literal["answered", "filled in", "left", "dialog"]
"""`filled in`: the form waits for somebody to submit it. `left`: the frame navigated before the tool answered.
`dialog`: the page, and the tool with it, is blocked until the dialog is answered."""


@attrs.frozen
class Called:
    """How a call ended. `output` is the tool's answer, as JSON values."""

    ending: Ending
    output: Any = None


class PageToolCalls:
    """Calls page tools of one tab."""

    def __init__(self, frames: FrameTree, dialogs: Dialogs) -> None:
        self._frames = frames
        self._dialogs = dialogs

    async def call(self, tool: PageTool, arguments: Mapping[str, Any]) -> Called:
        """Call a tool and wait until it has answered or cannot answer any more.

        `EXECUTION_ERROR` with the page's message if it throws or cancels. Cancelling the caller cancels the tool.
        """
        tool.frame.check_granted()
        if not tool.there:
            raise _gone(tool)
        try:
            called = await _watched(tool, lambda: self._invoke(tool, arguments))
        except (CdpError, ElementNotFound) as error:
            unknown = isinstance(error, ElementNotFound) or error.cdp_code == METHOD_NOT_FOUND
            if tool.reported or not unknown:
                raise
            return await _watched(tool, lambda: self._ask_page(tool, arguments))
        if called.ending == "answered" and not tool.frame.granted:
            return Called("left")  # another document has answered than the one that was asked
        return called

    async def _ask_page(self, tool: PageTool, arguments: Mapping[str, Any]) -> Called:
        try:
            context = await tool.frame.context("main")
            answer = await ask_page(tool.frame, context, {"name": tool.name, "arguments": arguments})
        except ContextGone:
            return Called("left")
        except DialogOpen:
            return Called("dialog")
        if "error" in answer:
            raise KaptureError(ErrorCode.EXECUTION_ERROR, str(answer["error"]))
        return Called("answered", answer.get("output"))

    async def _invoke(self, tool: PageTool, arguments: Mapping[str, Any]) -> Called:
        changed = Changed()
        responses: dict[str, dict[str, Any]] = {}

        def responded(params: dict[str, Any]) -> None:
            responses[params["invocationId"]] = params
            changed.notify()

        with tool.session.listening({"WebMCP.toolResponded": responded}):
            reply = tool.session.submit(
                "WebMCP.invokeTool", {"frameId": tool.frame.id, "toolName": tool.name, "input": dict(arguments)}
            )
            reply.then(lambda _: changed.notify())
            ended = False
            try:
                while True:
                    signals = [changed.upcoming, self._frames.changed.upcoming, self._dialogs.changed.upcoming]
                    called = self._ending(tool, reply, responses)
                    if called is not None:
                        ended = True
                        return called
                    await _first_of(signals)
            except KaptureError:
                ended = True
                raise
            finally:
                if not ended:
                    reply.then(lambda reply: _cancel(tool, reply))

    def _ending(self, tool: PageTool, reply: PendingReply, responses: Mapping[str, Mapping[str, Any]]) -> Called | None:
        """How the call has ended; None if it has not."""
        left = None if tool.there else Called("left")
        if not reply.done:
            return left
        try:
            invocation = reply.value()["invocationId"]
        except CdpError as error:
            if error.means(Refusal.NO_TOOL):
                raise _gone(tool) from error
            if error.means(Refusal.GONE):
                return Called("left")
            raise
        except Detached:
            return Called("left")
        if (response := responses.get(invocation)) is not None:
            if response["status"] == "Completed":
                return Called("answered", response.get("output"))
            # The browser reports no error of the tool's own when its document goes away.
            if left is None:
                raise _failed(response)
        if left is not None:
            return left
        if self._dialogs.blocked() is not None:
            return Called("dialog")
        return Called("filled in") if tool.form and not tool.submits else None


async def _watched(tool: PageTool, work: Callable[[], Awaitable[Called]]) -> Called:
    """Do the work of a call. If the caller is cancelled while the tool keeps the page busy, it is terminated."""
    context = tool.frame.current_context()  # the agent's: the grant may not allow code in the page's world
    return await (work() if context is None else ScriptTerminator(context, None).run(work))


def _gone(tool: PageTool) -> KaptureError:
    return KaptureError(
        ErrorCode.ELEMENT_NOT_FOUND,
        f"The page no longer has a tool {tool.name!r}.",
        hint="List its tools again with page_tools.",
        data={"tool": tool.name},
    )


def _failed(response: Mapping[str, Any]) -> KaptureError:
    """`EXECUTION_ERROR` with the page's message."""
    if exception := response.get("exception"):
        return thrown({"exception": exception})
    reason = response.get("errorText") or ""
    if response["status"] == "Canceled":
        return KaptureError(ErrorCode.EXECUTION_ERROR, f"The page cancelled the call. {reason}".rstrip())
    return KaptureError(ErrorCode.EXECUTION_ERROR, reason or "The tool failed and did not say why.")


def _cancel(tool: PageTool, reply: PendingReply) -> None:
    """Cancel a call that nobody waits for any more. It may have ended, so the reply does not matter."""
    if reply.error is None:
        with suppress(KaptureError):  # the connection's buffer is full or the connection has ended
            tool.session.submit("WebMCP.cancelInvocation", {"invocationId": reply.value()["invocationId"]})


async def _first_of(events: list[trio.Event]) -> None:
    """Return when one of them is set."""
    async with trio.open_nursery() as nursery:

        async def wait(event: trio.Event) -> None:
            await event.wait()
            nursery.cancel_scope.cancel()

        for event in events:
            nursery.start_soon(wait, event)
