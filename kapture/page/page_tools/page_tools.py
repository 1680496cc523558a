"""Tools that the tab's documents declare for agents (WebMCP, https://webmachinelearning.github.io/webmcp/).

Browsers with the feature enabled report them in CDP's `WebMCP` domain, as they are added and removed. Elsewhere a page
may bring a `modelContext` of its own, which a script in the page's world queries. All descriptions of a tool are page
text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import attrs
import trio

from kapture.cdp import CdpSession, PendingReply
from kapture.cdp.program import RENDERER
from kapture.changed import Changed
from kapture.errors import KaptureError
from kapture.page.documents.frame import ExecutionContext, Frame
from kapture.page.documents.frames import FrameTree

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
