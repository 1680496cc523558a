"""Which tools of a page are known, as the browser reports them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from kapture.cdp import CdpConnection, PendingReply
from kapture.errors import PolicyDenied
from kapture.page.agent_calls import AgentCalls
from kapture.page.documents.frame import ExecutionContext, Renderer
from kapture.page.documents.frames import FrameTree
from kapture.page.page_tools import (
    MAX_SCHEMA_CHARS,
    MAX_SCHEMA_DEPTH,
    MOST_TOOLS,
    PageTools,
    ask_page,
    depth_over,
    page_tool,
)
from tests.support.cdp_transports import SilentTransport

MINE, OTHER = "https://shop.example/", "https://bank.example/"


class Browser(SilentTransport):
    """A tab with a frame of another site in the same process. `sent` are the commands."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.replies: list[PendingReply] = []
        self.granted = {MINE}
        self.connection = CdpConnection(self)
        self.frames = FrameTree(lambda url: url in self.granted, AgentCalls(Renderer(lambda: None)))
        child = {"frame": {"id": "F", "parentId": "M", "url": OTHER, "loaderId": "L2", "securityOrigin": OTHER}}
        main = {"id": "M", "url": MINE, "loaderId": "L1", "securityOrigin": MINE}
        self.frames.take(self.connection.root, {"frame": main, "childFrames": [child]})
        self.frames.observe(self.connection.root)
        self.tools = PageTools(self.frames)

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.append(method)
        reply = PendingReply()
        self.replies.append(reply)
        return reply

    def say(self, method: str, **params: Any) -> None:
        self.connection.deliver(method, params, None)

    def add(self, *names: str, frame: str = "M", **facts: Any) -> None:
        self.say("WebMCP.toolsAdded", tools=[{"name": name, "frameId": frame, **facts} for name in names])

    def navigate(self, loader: str, kind: str = "Navigation") -> None:
        frame = {"id": "M", "url": MINE, "loaderId": loader, "securityOrigin": MINE}
        self.say("Page.frameNavigated", frame=frame, type=kind)

    @property
    def names(self) -> list[str]:
        return [tool.name for tool in self.tools.known]


@pytest.fixture
async def browser() -> Browser:
    browser = Browser()
    await browser.tools.observe(browser.connection.root)
    return browser


async def test_tools_come_and_go_as_the_browser_reports_them(browser: Browser) -> None:
    browser.add("one", "two")
    assert browser.names == ["one", "two"]
    changed = browser.tools.changed.upcoming
    browser.say("WebMCP.toolsRemoved", tools=[{"name": "one", "frameId": "M"}])
    assert browser.names == ["two"]
    assert changed.is_set()


async def test_tools_of_documents_outside_the_grant_are_not_known(browser: Browser) -> None:
    browser.add("mine")
    browser.add("theirs", frame="F")
    assert browser.names == ["mine"]
    browser.granted.add(OTHER)
    assert browser.names == ["mine", "theirs"]


async def test_tools_go_with_their_document(browser: Browser) -> None:
    browser.add("one")
    browser.add("inner", frame="F")
    browser.granted.add(OTHER)
    (tool, _) = browser.tools.known
    browser.navigate("L3")
    assert not tool.there
    assert browser.names == []
    browser.add("next")
    assert browser.names == ["next"]


async def test_a_page_out_of_the_back_forward_cache_is_asked_for_its_tools_again(browser: Browser) -> None:
    browser.navigate("L3")
    browser.add("one")  # reported before the navigation to the document that declares it
    browser.navigate("L1", "BackForwardCacheRestore")
    assert browser.names == []
    assert browser.sent[-2:] == ["WebMCP.disable", "WebMCP.enable"]
    browser.add("one")
    assert browser.names == ["one"]


async def test_no_more_tools_are_kept_than_is_bounded(browser: Browser) -> None:
    browser.add(*(f"tool{number}" for number in range(MOST_TOOLS + 50)))
    assert len(browser.names) == MOST_TOOLS


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "object"}, ""),
        ([], "not an object"),
        ({"description": "x" * MAX_SCHEMA_CHARS}, "characters"),
        ({"a": {}}, ""),
    ],
)
async def test_a_schema_of_unusual_size_is_not_looked_at(browser: Browser, schema: Any, problem: str) -> None:
    tool = page_tool({"name": "one", "inputSchema": schema}, browser.frames.main)
    assert tool is not None
    assert problem in tool.problem
    assert (tool.schema is None) == bool(problem)


async def test_a_schema_nested_too_deeply_is_not_looked_at(browser: Browser) -> None:
    schema: dict[str, Any] = {}
    for _ in range(100_000):
        schema = {"not": schema}
    tool = page_tool({"name": "one", "inputSchema": schema}, browser.frames.main)
    assert tool is not None
    assert "deeper" in tool.problem
    assert not depth_over({"a": [{"b": 1}]}, MAX_SCHEMA_DEPTH)
    while schema:
        schema = schema.pop("not")  # not taken apart by recursion


@pytest.mark.parametrize("name", [None, 7, "", "x" * 129, "two\nlines"])
async def test_tool_without_usable_name_is_ignored(browser: Browser, name: object) -> None:
    assert page_tool({"name": name}, browser.frames.main) is None


async def test_a_document_that_left_the_grant_while_its_scripts_were_waited_for_is_not_asked(
    browser: Browser, autojump_clock: MockClock
) -> None:
    main = browser.frames.main
    context = ExecutionContext("M", "main", browser.connection.root, "U1", 1, MINE)
    browser.granted.clear()
    browser.sent.clear()
    with pytest.raises(PolicyDenied), trio.fail_after(1):
        await ask_page(main, context)
    assert browser.sent == []
