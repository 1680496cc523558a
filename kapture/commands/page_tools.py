"""Tools that pages declare for agents (WebMCP): listing them, and calling one."""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from itertools import accumulate
from typing import Annotated, Any, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.context import TabContext
from kapture.commands.core.deadline import before_timeout
from kapture.commands.core.registry import Access, command
from kapture.commands.page_tool_arguments import check_arguments, page_tool_count
from kapture.errors import ErrorCode, KaptureError
from kapture.page.page_tools import MOST_TOOLS, Called, PageTool, depth_over

LIMIT = 256 * 1024
"""Characters of an answer that are shown."""
MORE_TOOLS = f"Of a document with more than {MOST_TOOLS}, the others cannot be used."
_MAX_LIST_CHARS = 20_000
_MAX_NAMES_CHARS = 4_000
_MAX_DESCRIPTION_CHARS = 400
_MAX_DEPTH = 64
_MAX_IMAGES = 8
_MAX_IMAGE_CHARS = 8 * 2**20
_IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif")


@attrs.frozen(kw_only=True)
class PageToolInfo:
    """One tool, in the page's words. `frame` None: the main frame. `problem`: why it cannot be called.

    `form`: the tool is a form, which either is submitted by itself (`submits`) or is filled in and waits for that.
    """

    name: str
    description: str
    frame: str | None = None
    url: str = ""
    schema: dict[str, Any] | None = None
    problem: str | None = None
    read_only: bool = False
    untrusted: bool = False
    form: bool = False
    submits: bool = False

    def with_short_description(self) -> PageToolInfo:
        """The same, for a list."""
        if len(self.description) <= _MAX_DESCRIPTION_CHARS:
            return self
        return attrs.evolve(self, description=f"{self.description[:_MAX_DESCRIPTION_CHARS]}…")

    def lines(self) -> list[str]:
        """The name with its properties, its description, its schema."""
        notes = [
            f"in {self.frame}" if self.frame else "",
            "the page says it only reads" if self.read_only else "",
            "a form that submits itself" if self.submits else "a form that is only filled in" if self.form else "",
            "answers with words of others" if self.untrusted else "",
        ]
        noted = ", ".join(filter(None, notes))
        lines = [f"{self.name} ({noted})" if noted else self.name]
        lines += [f"  {line}" for line in self.description.splitlines() if line.strip()]
        if self.problem is not None:
            lines.append(f"  cannot be called: its schema is unusable, {self.problem}")
        elif self.schema is not None:
            lines.append(f"  arguments: {_compact(self.schema)}")
        return lines


@attrs.frozen(kw_only=True)
class PageToolList(Answer):
    """The tools, as many as fit. `more`: the names of others; `count`: how many there are in all."""

    tools: list[PageToolInfo]
    more: list[str] = attrs.field(factory=list)
    count: int

    @classmethod
    def of(cls, tools: list[PageToolInfo], *, whole: bool = False) -> PageToolList:
        """The first ones, and the names of those after them. `whole`: descriptions are not cut."""
        shown = tools if whole else [tool.with_short_description() for tool in tools]
        fitting = _fitting([sum(map(len, tool.lines())) for tool in shown], _MAX_LIST_CHARS)
        more = [f"{tool.name} (in {tool.frame})" if tool.frame else tool.name for tool in tools[fitting:]]
        return cls(
            tools=shown[:fitting],
            more=more[: _fitting([len(name) for name in more], _MAX_NAMES_CHARS)],
            count=len(tools),
        )

    def has_page_text(self) -> bool:
        """Whether there are tools: that there are none is not page text."""
        return bool(self.tools)

    def text(self) -> str:
        """One block per tool."""
        if not self.tools:
            return "The page declares no tools."
        lines = [page_tool_count(self.count)]
        for tool in self.tools:
            lines += tool.lines()
        if self.more:
            unnamed = self.count - len(self.tools) - len(self.more)
            others = f", and {unnamed} that are not named here" if unnamed else ""
            lines.append(f"… also, each to be seen with name, or name and frame: {', '.join(self.more)}{others}")
        if self.count >= MOST_TOOLS:
            lines.append(MORE_TOOLS)
        return "\n".join(lines)


def _fitting(sizes: list[int], limit: int) -> int:
    """How many fit, in order; the first one always does."""
    totals = accumulate(sizes)
    return max(sum(1 for total in totals if total <= limit), min(1, len(sizes)))


@attrs.frozen(kw_only=True)
class PageToolCalled(Answer):
    """How a call ended: see `kapture.page.page_tools.Called`. `output`: the tool's answer as JSON;
    None with `truncated` if it is too large to be shown completely."""

    tool: str
    ending: Literal["answered", "filled in", "left", "dialog"]
    output: Any = None
    shown: str = ""
    truncated: bool = False
    blobs: tuple[Blob, ...] = ()

    def summary(self) -> str:
        """Nothing: the words are the page's."""
        return ""

    def text(self) -> str:
        """The answer, or why there is none."""
        match self.ending:
            case "filled in":
                return f"{self.tool}: the form is filled in, not submitted. Look at it, then press its button."
            case "left":
                return f"{self.tool}: the page went elsewhere before the tool answered."
            case "dialog":
                return f"{self.tool}: it opened a dialog; what it answers after that is not seen."
        cut = f"\n(cut: the answer is larger than {LIMIT // 1024} kB)" if self.truncated else ""
        return f"{self.tool} answered: {self.shown or 'nothing'}{cut}"

    def parts(self) -> tuple[Blob, ...]:
        """The images of the answer."""
        return self.blobs


def answer_of(tool: str, called: Called) -> PageToolCalled:
    """A call as an answer, with its size limited."""
    if called.ending != "answered":
        return PageToolCalled(tool=tool, ending=called.ending)
    output = called.output
    if depth_over(output, _MAX_DEPTH):
        shown = f"(an answer nested deeper than {_MAX_DEPTH} levels)"
        return PageToolCalled(tool=tool, ending="answered", shown=shown, truncated=True)
    images = _images(output)
    if images:
        output = {**output, "content": [part for part in output["content"] if _image(part) is None]}
    shown = _output_text(output)
    truncated = len(shown) > LIMIT or len(_compact(output)) > LIMIT
    return PageToolCalled(
        tool=tool,
        ending="answered",
        output=None if truncated else output,
        shown=shown[:LIMIT],
        truncated=truncated,
        blobs=images,
    )


def failure(output: Any) -> str | None:
    """The message of an answer that reports a failure in the way of MCP; None for other answers."""
    if isinstance(output, dict) and output.get("isError") is True and not depth_over(output, _MAX_DEPTH):
        return _output_text(output)[:2_000] or "The tool failed and did not say why."
    return None


def _output_text(output: Any) -> str:
    """Strings as they are, the texts of an answer in MCP's format, everything else as JSON."""
    if output is None or output == [] or output == "undefined":
        return ""
    if isinstance(output, str):
        return output
    parts = output.get("content") if isinstance(output, dict) else None
    if isinstance(parts, list) and all(isinstance(part, dict) and "type" in part for part in parts):
        texts = [str(part.get("text", "")) if part["type"] == "text" else _compact(part) for part in parts]
        others = {key: value for key, value in output.items() if key not in ("content", "isError")}
        return "\n".join([*texts, *([_compact(others)] if others and not texts else [])])
    return _compact(output)


def _images(output: Any) -> tuple[Blob, ...]:
    parts = output.get("content") if isinstance(output, dict) else None
    found = [_image(part) for part in parts] if isinstance(parts, list) else []
    return tuple(image for image in found if image is not None)[:_MAX_IMAGES]


def _image(part: Any) -> Blob | None:
    """An image in an answer in MCP's format."""
    if not isinstance(part, dict) or part.get("type") != "image" or part.get("mimeType") not in _IMAGES:
        return None
    data = part.get("data")
    if not isinstance(data, str) or len(data) > _MAX_IMAGE_CHARS:
        return None
    try:
        b64decode(data, validate=True)
    except (ValueError, binascii.Error):
        return None
    return Blob(base64=data, mime_type=part["mimeType"])


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


MAX_ARGUMENTS_CHARS = 1_000_000


@attrs.frozen(kw_only=True)
class PageTools:
    """List the tools that the page itself declares for agents."""

    name: Annotated[str | None, Meta(description="Only this one, in full.")] = None
    frame: Annotated[str | None, Meta(description="Frame: f2, or part of its URL.")] = None


@command("page_tools", access=Access.READ, idempotent=True, long=True)
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

    name: Annotated[str, Meta(min_length=1, description="Name of the page's tool.")]
    arguments: Annotated[dict[str, Any], Meta(description="Arguments as the tool's schema says.")] = attrs.field(
        factory=dict
    )
    frame: Annotated[str | None, Meta(description="Frame (f2), if several have this tool.")] = None


# Whatever the page declares: that a tool only reads is not verified.
@command("call_page_tool", access=Access.INTERACT, acts=True, destructive=True, long=True)
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
