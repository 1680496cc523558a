"""Tools that pages declare (WebMCP), and calls of them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

import attrs
import trio

from kapture.cdp import CdpError, CdpSession, PendingReply, Refusal
from kapture.cdp.browser_errors import METHOD_NOT_FOUND
from kapture.cdp.program import RENDERER
from kapture.changed import Changed
from kapture.errors import Detached, DialogOpen, ElementNotFound, ErrorCode, KaptureError
from kapture.page.agent_answers import thrown
from kapture.page.dialogs import Dialogs
from kapture.page.documents.frame import ContextGone, ExecutionContext, Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.script_terminator import ScriptTerminator

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
            called = await self._watched(tool, lambda: self._invoke(tool, arguments))
        except (CdpError, ElementNotFound) as error:
            unknown = isinstance(error, ElementNotFound) or error.cdp_code == METHOD_NOT_FOUND
            if tool.reported or not unknown:
                raise
            return await self._watched(tool, lambda: self._ask_page(tool, arguments))
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

    async def _watched(self, tool: PageTool, work: Callable[[], Awaitable[Called]]) -> Called:
        """Do the work of a call. If the caller is cancelled while the tool keeps the page busy, it is terminated."""
        context = tool.frame.current_context()  # the agent's: the grant may not allow code in the page's world
        if context is None:
            return await work()
        return await ScriptTerminator(context, None, debugged=self._dialogs.debugged(context.session)).run(work)


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


# Tools that the tab's documents declare for agents (WebMCP, https://webmachinelearning.github.io/webmcp/).
#
# Browsers with the feature enabled report them in CDP's `WebMCP` domain, as they are added and removed. Elsewhere a
# page
# may bring a `modelContext` of its own, which a script in the page's world queries. All descriptions of a tool are page
# text.

MOST_TOOLS = 200
"""How many tools of one session are kept, and how many one page is asked for."""
MAX_SCHEMA_CHARS = 20_000
MAX_SCHEMA_DEPTH = 24
_MAX_NAME_CHARS = 128  # from the WebMCP draft
_MAX_DESCRIPTION_CHARS = 2_000
_ASK_TIMEOUT_S = 5.0
"""A page that does not answer within this time is taken to have no tools."""


@attrs.frozen(kw_only=True)
class PageTool:
    """One tool, as declared by its document.

    `schema` None: any arguments. `problem` says why the schema cannot be used; such a tool cannot be called.
    `read_only` and `untrusted` are the page's hints. `form`: the tool is a form, which either is submitted by itself
    (`submits`) or waits for somebody to submit it. `reported`: by the browser, not by the page's own script.
    """

    name: str
    description: str = ""
    schema: Mapping[str, Any] | None = None
    problem: str = ""
    read_only: bool = False
    untrusted: bool = False
    form: bool = False
    submits: bool = False
    reported: bool = True
    frame: Frame = attrs.field(repr=False)
    loader_id: str
    session: CdpSession = attrs.field(repr=False, eq=False)

    @property
    def there(self) -> bool:
        """Whether the document that declared it is still its frame's current one."""
        frame = self.frame
        same = frame.loader_id == self.loader_id and frame.session is self.session
        return same and not frame.detached and not frame.crashed


class PageTools:
    """The tools of one tab. `observe` is called for every CDP session of the page."""

    def __init__(self, frames: FrameTree) -> None:
        self.changed = Changed()
        """Notified when a tool is added or removed."""
        self._frames = frames
        self._reported: dict[CdpSession, dict[tuple[str, str], PageTool]] = {}
        self._declared: dict[str, list[PageTool]] = {}

    @property
    def known(self) -> list[PageTool]:
        """The tools of granted documents, in the order of the frames: as last reported by the browser, or as last
        answered by the pages."""
        order = {frame.id: position for position, frame in enumerate(self._frames.all())}
        tools = [tool for reported in self._reported.values() for tool in reported.values()]
        with_tools = {tool.frame.id for tool in tools if tool.there}
        tools += [tool for frame, declared in self._declared.items() if frame not in with_tools for tool in declared]
        shown = [tool for tool in tools if tool.there and tool.frame.id in order and tool.frame.granted]
        return sorted(shown, key=lambda tool: order[tool.frame.id])

    async def all(self) -> list[PageTool]:
        """The tools as they are now; where the browser reports none, the pages are asked."""
        for reply in [self._report_anew(session) for session in tuple(self._reported)]:
            try:
                await reply.wait()
            except KaptureError:
                continue  # the session has ended, or the browser does not support the domain
        before, self._declared = self._declared, {}
        with_tools = {tool.frame.id for tool in self.known}
        for frame in self._frames.all():
            askable = frame.granted and not frame.why_silent and frame.id not in with_tools
            if askable and (declared := await _declared(frame)):
                self._declared[frame.id] = declared
        if self._declared != before:
            self.changed.notify()
        return self.known

    async def observe(self, session: CdpSession) -> None:
        """Subscribe to the events of one session. A browser without the domain refuses it, which does not matter."""
        self._reported[session] = {}
        session.on("WebMCP.toolsAdded", lambda params: self._added(session, params["tools"]))
        session.on("WebMCP.toolsRemoved", lambda params: self._removed(session, params["tools"]))
        session.on("Page.frameNavigated", lambda params: self._navigated(session, params))
        session.submit("WebMCP.enable")

    def forget(self, session: CdpSession) -> None:
        """Drop the tools of a session that has ended."""
        if self._reported.pop(session, None):
            self.changed.notify()

    def _report_anew(self, session: CdpSession) -> PendingReply:
        """Have the browser report tools again, which enabling the domain does, for the outermost document of a session
        (Chromium 150); those of other frames in its process are reported only when they are added."""
        session.submit("WebMCP.disable", needs=RENDERER).then(lambda _: self._clear(session))
        return session.submit("WebMCP.enable", needs=RENDERER)

    def _clear(self, session: CdpSession) -> None:
        top = self._frames.top_of(session)
        kept = self._reported.get(session, {}).items()
        if session in self._reported:
            self._reported[session] = {key: tool for key, tool in kept if top is None or key[0] != top.id}

    def _added(self, session: CdpSession, tools: list[dict[str, Any]]) -> None:
        reported = self._reported.get(session)
        if reported is None:
            return
        for described in tools:
            frame = self._frames.by_id(described["frameId"])
            if frame is None or frame.session is not session:
                continue
            tool = page_tool(described, frame)
            if tool is None or (len(reported) >= MOST_TOOLS and (frame.id, tool.name) not in reported):
                continue
            reported[frame.id, tool.name] = tool
        self.changed.notify()

    def _removed(self, session: CdpSession, tools: list[dict[str, Any]]) -> None:
        for tool in tools:
            self._reported.get(session, {}).pop((tool["frameId"], tool["name"]), None)
        self.changed.notify()

    def _navigated(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        reported = self._reported.get(session)
        if reported is None:
            return
        gone = [key for key, tool in reported.items() if not tool.there]
        for key in gone:
            del reported[key]
        if params.get("type") == "BackForwardCacheRestore":
            # Its tools were reported before this event, when the frame still showed the previous document.
            self._report_anew(session)
        if gone:
            self.changed.notify()


def page_tool(described: Mapping[str, Any], frame: Frame, *, reported: bool = True) -> PageTool | None:
    """A tool from CDP's `WebMCP.Tool`, with its texts bounded; None if it is not a valid tool."""
    name = described.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= _MAX_NAME_CHARS or not name.isprintable():
        return None
    description = str(described.get("description") or "")
    if len(description) > _MAX_DESCRIPTION_CHARS:
        description = f"{description[:_MAX_DESCRIPTION_CHARS]}… ({len(description)} characters)"
    schema = described.get("inputSchema")
    problem = "" if schema is None else schema_problem(schema)
    annotations = described.get("annotations") or {}
    return PageTool(
        name=name,
        description=description,
        schema=None if problem else schema,
        problem=problem,
        read_only=annotations.get("readOnly") is True,
        untrusted=annotations.get("untrustedContent") is True,
        form="backendNodeId" in described,
        submits=annotations.get("autosubmit") is True,
        reported=reported,
        frame=frame,
        loader_id=frame.loader_id,
        session=frame.session,
    )


def schema_problem(schema: Any) -> str:
    """Why a schema is not used; "" if its size and depth are acceptable."""
    if not isinstance(schema, dict):
        return "it is not an object"
    if depth_over(schema, MAX_SCHEMA_DEPTH):
        return f"it is nested deeper than {MAX_SCHEMA_DEPTH} levels"
    size = len(json.dumps(schema, ensure_ascii=False))
    return f"it has {size} characters, more than {MAX_SCHEMA_CHARS}" if size > MAX_SCHEMA_CHARS else ""


def depth_over(value: Any, levels: int) -> bool:
    """Whether objects and lists are nested deeper than this."""
    layer = [value]
    for _ in range(levels + 1):
        layer = [
            inner
            for one in layer
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not layer:
            return False
    return True


async def _declared(frame: Frame) -> list[PageTool]:
    """The tools that a page reports itself; none if it does not answer."""
    try:
        with trio.move_on_after(_ASK_TIMEOUT_S):
            answer = await ask_page(frame, await frame.context("main"))
            found = [page_tool(one, frame, reported=False) for one in answer if isinstance(one, dict)]
            return [tool for tool in found[:MOST_TOOLS] if tool is not None]
    except KaptureError:
        return []  # its document is gone, or does not run scripts
    return []


async def ask_page(frame: Frame, context: ExecutionContext, request: Mapping[str, Any] | None = None) -> Any:
    """List the tools of a `modelContext` in the page's own world, or call one: `{"name", "arguments"}`.

    Returns the list, or `{"output"}` or `{"error"}`. `ContextGone` if the document goes away meanwhile.
    """
    text = "" if request is None else json.dumps(request)
    frame.check_granted()
    outcome = await frame.renderer.evaluate(context, f"{_script()}({json.dumps(text)})")
    try:
        return json.loads(outcome["result"]["value"])
    except (KeyError, TypeError, ValueError, RecursionError):
        return {} if request is None else {"error": "The page's answer is not JSON."}


@cache
def _script() -> str:
    """The script made from kapture/page/agent/page_tools/page_tools.main.js."""
    return files("kapture.page").joinpath("page_tools.bundle.js").read_text("utf-8").strip()
