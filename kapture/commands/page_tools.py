"""Tools that pages declare for agents (WebMCP): listing them, and calling one."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
from msgspec import Meta

from kapture.commands.core.context import TabContext
from kapture.commands.core.deadline import before_timeout
from kapture.commands.core.registry import Access, command
from kapture.commands.formatters.page_tools import (
    MORE_TOOLS,
    PageToolCalled,
    PageToolInfo,
    PageToolList,
    answer_of,
    failure,
)
from kapture.commands.page_tool_arguments import check_arguments
from kapture.errors import ErrorCode, KaptureError
from kapture.page.page_tools.page_tools import MOST_TOOLS, PageTool

MAX_ARGUMENTS_CHARS = 1_000_000


@attrs.frozen(kw_only=True)
class PageTools:
    """List the tools that the page itself declares for agents."""

    name: Annotated[str | None, Meta(description="Only this one, in full.")] = None
    frame: Annotated[str | None, Meta(description="f2, or part of its URL.")] = None


@command("page_tools", access=Access.READ, idempotent=True, for_page_tools=True)
async def page_tools(tab: TabContext, params: PageTools) -> PageToolList:
    """List the current tools of granted documents."""
    tools = await _tools(tab, params.frame)
    if params.name is not None:
        tools = [tool for tool in tools if tool.name == params.name]
        if not tools:
            raise await _no_tool(tab, params.name, params.frame)
    return PageToolList.of([_info(tool) for tool in tools], whole=params.name is not None)


@attrs.frozen(kw_only=True)
class CallPageTool:
    """Call a tool that the page declares. Often better than pressing its buttons."""

    name: Annotated[str, Meta(min_length=1, description="Its name.")]
    arguments: Annotated[dict[str, Any], Meta(description="As its schema says.")] = attrs.field(factory=dict)
    frame: Annotated[str | None, Meta(description="f2, where several have it.")] = None


# Whatever the page declares: that a tool only reads is not verified.
@command("call_page_tool", access=Access.INTERACT, acts=True, destructive=True, for_page_tools=True)
async def call_page_tool(tab: TabContext, params: CallPageTool) -> PageToolCalled:
    """Check the arguments, call the tool, and wait for its answer; if it does not end in time it is cancelled."""
    _check_size(params.arguments)
    tool = await _tool(tab, params.name, params.frame)
    await check_arguments(tool, params.arguments)
    with before_timeout() as patience:
        async with tab.acting():
            called = await tab.page.tool_calls.call(tool, params.arguments)
        if (words := failure(called.output)) is not None:
            raise KaptureError(ErrorCode.EXECUTION_ERROR, words)
        return answer_of(tool.name, called)
    assert patience.ran_out  # noqa: S101  the block returns or raises
    raise KaptureError(
        ErrorCode.COMMAND_TIMEOUT,
        f"The page's tool {tool.name!r} did not answer in time and was cancelled. It may have taken effect.",
        hint="Look at the page before you call it again, or allow it more time with timeout.",
        data={"tool": tool.name},
    )


async def _tools(tab: TabContext, frame: str | None) -> list[PageTool]:
    tools = await tab.page.tools.all()
    if frame is None:
        return tools
    wanted = tab.page.frames.find(frame)
    wanted.check_granted()
    return [tool for tool in tools if tool.frame is wanted]


async def _tool(tab: TabContext, name: str, frame: str | None) -> PageTool:
    """The only tool that matches."""
    found = [tool for tool in await _tools(tab, frame) if tool.name == name]
    if len(found) == 1:
        return found[0]
    if not found:
        raise await _no_tool(tab, name, frame)
    frames = [tool.frame.key or "main" for tool in found]
    raise KaptureError(
        ErrorCode.ELEMENT_AMBIGUOUS,
        f"{len(found)} frames have a tool {name!r}: {', '.join(frames)}.",
        hint="Name the frame with frame.",
        data={"tool": name, "frames": frames},
    )


async def _no_tool(tab: TabContext, name: str, frame: str | None) -> KaptureError:
    tools = await _tools(tab, frame)
    names = [tool.name for tool in tools][:20]
    others = f"It has {', '.join(names)}{', …' if len(tools) > len(names) else ''}." if names else "It declares none."
    if len(tools) >= MOST_TOOLS:
        others += f" {MORE_TOOLS}"
    return KaptureError(
        ErrorCode.ELEMENT_NOT_FOUND,
        f"The page has no tool {name!r}. {others}",
        hint="page_tools lists them. They come and go with what the page shows." if names else "",
        data={"tool": name, "tools": names},
    )


def _check_size(arguments: dict[str, Any]) -> None:
    if (size := len(str(arguments))) > MAX_ARGUMENTS_CHARS:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"The arguments have {size} characters; at most {MAX_ARGUMENTS_CHARS} are passed to a page's tool.",
            data={"parameter": "arguments"},
        )


def _info(tool: PageTool) -> PageToolInfo:
    return PageToolInfo(
        name=tool.name,
        description=tool.description,
        frame=tool.frame.key or None,
        url=tool.frame.url,
        schema=dict(tool.schema) if tool.schema is not None else None,
        problem=tool.problem or None,
        read_only=tool.read_only,
        untrusted=tool.untrusted,
        form=tool.form,
        submits=tool.submits,
    )
