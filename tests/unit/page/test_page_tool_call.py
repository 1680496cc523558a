"""How a call of a page's tool ends, in whatever order the browser says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.cdp import CdpConnection, CdpError, PendingReply
from kapture.errors import ElementNotFound, ErrorCode, KaptureError, PolicyDenied
from kapture.page.agent_calls import AgentCalls
from kapture.page.dialogs import Dialogs
from kapture.page.documents.frame import Renderer
from kapture.page.documents.frames import FrameTree
from kapture.page.page_tools import Called, PageTool, PageToolCalls, page_tool
from tests.support.cdp_transports import SilentTransport

URL = "https://shop.example/"


class Browser(SilentTransport):
    """A tab whose calls of tools the test answers; `cancelled` are those it was told to end."""

    def __init__(self) -> None:
        self.invoked: list[tuple[Mapping[str, Any], PendingReply]] = []
        self.cancelled: list[str] = []
        self.granted = True
        self.connection = CdpConnection(self)
        self.dialogs = Dialogs(on_open=lambda _: None, granted=lambda *_: True)
        self.frames = FrameTree(lambda _: self.granted, AgentCalls(Renderer(self.dialogs.blocked)))
        self.frames.take(self.connection.root, {"frame": {"id": "M", "url": URL, "loaderId": "L1"}})
        self.frames.observe(self.connection.root)
        self.dialogs.observe(self.connection.root)
        self.calls = PageToolCalls(self.frames, self.dialogs)

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        reply = PendingReply()
        if method == "WebMCP.invokeTool":
            self.invoked.append((params, reply))
        elif method == "WebMCP.cancelInvocation":
            self.cancelled.append(params["invocationId"])
        return reply

    def tool(self, **facts: Any) -> PageTool:
        found = page_tool({"name": "add", **facts}, self.frames.main)
        assert found is not None
        return found

    def say(self, method: str, **params: Any) -> None:
        self.connection.deliver(method, params, None)

    def respond(self, status: str = "Completed", **facts: Any) -> None:
        self.say("WebMCP.toolResponded", invocationId="I1", status=status, **facts)

    def accept(self) -> None:
        self.invoked[0][1].resolve({"invocationId": "I1"})


@pytest.fixture
def browser() -> Browser:
    return Browser()


async def ending(browser: Browser, *steps: Any, **facts: Any) -> Called | KaptureError:
    """How the call ends when these things happen one after another."""
    ended: list[Called | KaptureError] = []

    async def call() -> None:
        try:
            ended.append(await browser.calls.call(browser.tool(**facts), {"a": 1}))
        except KaptureError as error:
            ended.append(error)

    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(call)
            await wait_all_tasks_blocked()
            for step in steps:
                step()
                await wait_all_tasks_blocked()
    return ended[0]


async def test_the_answer_is_the_calls_own(browser: Browser) -> None:
    def other() -> None:
        browser.say("WebMCP.toolResponded", invocationId="I0", status="Completed", output="another")

    ended = await ending(browser, browser.accept, other, lambda: browser.respond(output={"sum": 3}))
    assert ended == Called("answered", {"sum": 3})
    assert browser.invoked[0][0] == {"frameId": "M", "toolName": "add", "input": {"a": 1}}
    assert browser.cancelled == []


async def test_an_answer_of_a_document_that_is_no_longer_granted_is_not_passed_on(browser: Browser) -> None:
    def narrow() -> None:
        browser.granted = False

    ended = await ending(browser, browser.accept, narrow, lambda: browser.respond(output="secret"))
    assert ended == Called("left")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"status": "Error", "exception": {"description": "TypeError: no\n    at f (x)"}}, "TypeError: no"),
        ({"status": "Error", "errorText": "Form validation failed"}, "Form validation failed"),
        ({"status": "Error", "errorText": ""}, "The tool failed and did not say why."),
        ({"status": "Canceled", "errorText": "gone"}, "The page cancelled the call. gone"),
    ],
)
async def test_failures_are_errors_in_the_pages_words(browser: Browser, facts: Any, message: str) -> None:
    ended = await ending(browser, browser.accept, lambda: browser.respond(**facts))
    assert isinstance(ended, KaptureError)
    assert (ended.code, ended.message) == (ErrorCode.EXECUTION_ERROR, message)


async def test_a_tool_that_the_browser_does_not_know_is_not_found(browser: Browser) -> None:
    refuse = CdpError("WebMCP.invokeTool", "Tool not found", -32602)
    ended = await ending(browser, lambda: browser.invoked[0][1].fail(refuse))
    assert isinstance(ended, ElementNotFound)


async def test_a_call_ends_when_its_document_goes(browser: Browser) -> None:
    def navigate() -> None:
        browser.say("Page.frameNavigated", frame={"id": "M", "url": URL, "loaderId": "L2"})

    assert await ending(browser, browser.accept, navigate) == Called("left")
    assert browser.cancelled == []


async def test_a_tool_of_an_earlier_document_is_not_called(browser: Browser) -> None:
    tool = browser.tool()
    browser.say("Page.frameNavigated", frame={"id": "M", "url": URL, "loaderId": "L2"})
    with pytest.raises(ElementNotFound):
        await browser.calls.call(tool, {})
    assert browser.invoked == []


async def test_a_call_does_not_outwait_a_dialog(browser: Browser) -> None:
    def dialog() -> None:
        browser.say("Page.javascriptDialogOpening", type="alert", message="hi", url=URL, frameId="M")

    assert await ending(browser, browser.accept, dialog) == Called("dialog")


async def test_a_form_is_left_to_be_submitted(browser: Browser) -> None:
    assert await ending(browser, browser.accept, backendNodeId=3) == Called("filled in")
    assert browser.cancelled == []


@pytest.mark.parametrize("accepted_first", [True, False])
async def test_a_cancelled_call_is_cancelled_in_the_page(browser: Browser, accepted_first: bool) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(browser.calls.call, browser.tool(), {})
        await wait_all_tasks_blocked()
        if accepted_first:
            browser.accept()
            await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    browser.accept()
    assert browser.cancelled == ["I1"]


async def test_a_tool_of_a_document_that_is_no_longer_granted_is_not_called(
    browser: Browser, autojump_clock: MockClock
) -> None:
    browser.granted = False
    refused = await ending(browser)
    assert isinstance(refused, PolicyDenied)
    assert browser.invoked == []
