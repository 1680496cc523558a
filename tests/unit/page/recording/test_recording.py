"""Recorded actions of a page, their documents, and the reasons of navigations."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
import trio.testing

from kapture.background import running_beside
from kapture.cdp import CdpConnection, CdpSession, PendingReply
from kapture.page.agent_calls import AgentCalls
from kapture.page.dialogs import Dialogs
from kapture.page.documents.frame import Renderer
from kapture.page.documents.frames import FrameTree
from kapture.page.introspection import ROOTS_WANTED
from kapture.page.recording.recording import (
    MAX_MESSAGE,
    RECORD_BINDING,
    CapturedAction,
    Navigation,
    PageRecording,
    RanCommand,
    RecordedEvent,
)
from tests.support.cdp_transports import SilentTransport


@asynccontextmanager
async def recorded_tab() -> AsyncIterator[Tab]:
    async with trio.open_nursery() as nursery:
        tab = Tab(nursery)
        await tab.recording.observe(tab.connection.root)
        tab.give_contexts()
        # The start waits for the agent's answer, which no browser gives here.
        async with running_beside(lambda: tab.recording.start(tab.events.append)):
            await trio.testing.wait_all_tasks_blocked()
            yield tab
        nursery.cancel_scope.cancel()


CLICK = json.dumps({"id": "1-1", "command": "click", "arguments": {}, "targets": [{"css": "#a"}]})


class Tab:
    """A page at https://a.example/ with a frame of b.example; of these, `a` is granted."""

    def __init__(self, nursery: trio.Nursery, transport: SilentTransport | None = None) -> None:
        def granted(url: str) -> bool:
            return url.startswith("https://a.example/")

        self.connection = CdpConnection(transport or SilentTransport())
        self.frames = FrameTree(granted, AgentCalls(Renderer(lambda: None)))
        self.dialogs = Dialogs(on_open=lambda _: None, granted=lambda _, url: granted(url))
        self.events: list[RecordedEvent] = []
        root = self.connection.root
        self.frames.observe(root)
        self.dialogs.observe(root)
        self.documents: list[CdpSession] = []
        self.recording = PageRecording(self.frames, self.dialogs, self.documents, granted, nursery)
        child = {"frame": {"id": "F", "parentId": "M", "url": "https://b.example/x", "loaderId": "L"}}
        main = {"id": "M", "url": "https://a.example/", "loaderId": "L"}
        self.frames.take(root, {"frame": main, "childFrames": [child]})

    def give_contexts(self) -> None:
        for number, frame in enumerate(("M", "F"), 1):
            data = {"frameId": frame, "isDefault": False, "type": "isolated"}
            context = {"id": number, "uniqueId": f"U{number}", "name": "kapture", "auxData": data}
            self.event("Runtime.executionContextCreated", context=context)

    def give_page_context(self, origin: str) -> None:
        data = {"frameId": "M", "isDefault": True, "type": "default"}
        context = {"id": 9, "uniqueId": "U9", "name": "", "origin": origin, "auxData": data}
        self.event("Runtime.executionContextCreated", context=context)

    def event(self, method: str, **params: Any) -> None:
        self.connection.deliver(method, params, None)

    def report(self, payload: str, *, context: int = 1, name: str = RECORD_BINDING) -> None:
        self.event("Runtime.bindingCalled", name=name, payload=payload, executionContextId=context)

    def navigate(self, url: str = "https://a.example/next") -> None:
        self.event("Page.frameNavigated", frame={"id": "M", "url": url, "loaderId": "L2"}, type="Navigation")


async def test_an_action_of_a_granted_document_comes_through() -> None:
    async with recorded_tab() as tab:
        tab.give_page_context("https://a.example")
        tab.report(CLICK)
        clicked = CapturedAction(
            id="1-1", command="click", targets=[{"css": "#a"}], document="L", origin="https://a.example"
        )
        assert tab.events == [clicked]


async def test_an_action_in_a_document_whose_origin_is_opaque_has_no_origin() -> None:
    async with recorded_tab() as tab:
        tab.give_page_context("://")
        tab.report(CLICK)
        assert [event.origin for event in tab.events if isinstance(event, CapturedAction)] == [""]


async def test_an_action_of_a_document_outside_the_grant_is_dropped() -> None:
    async with recorded_tab() as tab:
        tab.report(CLICK, context=2)
        assert tab.events == []


class Noting(SilentTransport):
    """Notes in which contexts the agent is told to record."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if "startRecording" in params.get("expression", ""):
            self.told.append(params["uniqueContextId"])
        return PendingReply()


async def test_only_granted_documents_are_told_to_record() -> None:
    noting = Noting()
    async with trio.open_nursery() as nursery:
        tab = Tab(nursery, noting)
        tab.give_contexts()
        async with running_beside(lambda: tab.recording.start(tab.events.append)):
            await trio.testing.wait_all_tasks_blocked()
            assert set(noting.told) == {"U1"}
        nursery.cancel_scope.cancel()


async def test_no_recording_begins_in_a_page_outside_the_grant() -> None:
    noting = Noting()
    async with trio.open_nursery() as nursery:
        tab = Tab(nursery, noting)
        tab.navigate("https://b.example/")
        tab.give_contexts()
        with trio.fail_after(30):
            await tab.recording.start(tab.events.append)
        assert noting.told == []
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("frame", "url", "recorded"), [("M", "https://a.example/", 1), ("F", "https://b.example/x", 0)]
)
async def test_dialog_answer_is_recorded_for_granted_document_only(frame: str, url: str, recorded: int) -> None:
    async with recorded_tab() as tab:
        tab.event("Page.javascriptDialogOpening", url=url, frameId=frame, type="prompt", message="?", defaultPrompt="")
        tab.event("Page.javascriptDialogClosed", result=True, userInput="4711", frameId=frame)
        assert len(tab.events) == recorded


async def test_other_bindings_unknown_contexts_and_floods_are_no_actions() -> None:
    async with recorded_tab() as tab:
        tab.report(CLICK, name="kaptureTitle")
        tab.report(CLICK, context=99)
        tab.report(CLICK + " " * MAX_MESSAGE)
        assert tab.events == []


async def test_a_navigation_that_the_page_asks_for_is_told_from_one_of_the_address_bar() -> None:
    async with recorded_tab() as tab:
        tab.event("Page.frameRequestedNavigation", frameId="M", url="https://a.example/next", reason="anchorClick")
        tab.event(
            "Page.frameStartedNavigating", frameId="M", url="https://a.example/next", navigationType="differentDocument"
        )
        tab.navigate()
        tab.navigate()
        tab.event("Page.frameStartedNavigating", frameId="M", url="https://a.example/next", navigationType="reload")
        tab.navigate()
        assert [event.cause for event in tab.events if isinstance(event, Navigation)] == ["page", "address", "reload"]


async def test_address_outside_grant_is_reduced_to_its_site() -> None:
    async with recorded_tab() as tab:
        tab.navigate("https://bank.example/accounts/17?token=x")
        assert [event.url for event in tab.events if isinstance(event, Navigation)] == ["https://bank.example/…"]


async def test_effects_of_command_follow_it_and_its_input_is_not_recorded() -> None:
    async with recorded_tab() as tab:
        with tab.recording.command() as ran:
            tab.report(CLICK)
            tab.navigate()
            ran(RanCommand(command="click", arguments={}))
        assert tab.events == [
            RanCommand(command="click", arguments={}),
            Navigation(url="https://a.example/next", cause="page"),
        ]


class Preparing(SilentTransport):
    """A browser that answers only what prepares a session, and the last of that when the test has it answer."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.script = PendingReply()

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.append(method)
        if method == "Page.addScriptToEvaluateOnNewDocument":
            return self.script
        reply = PendingReply()
        if method == "Runtime.addBinding":
            reply.resolve({})
        return reply


async def test_nothing_stays_in_a_session_that_is_prepared_while_the_recording_ends(
    autojump_clock: trio.testing.MockClock,
) -> None:
    browser = Preparing()
    async with trio.open_nursery() as nursery:
        tab = Tab(nursery, browser)
        tab.give_contexts()
        root = tab.connection.root
        async with running_beside(lambda: tab.recording.start(tab.events.append)):
            await trio.testing.wait_all_tasks_blocked()
            tab.documents.append(root)
            nursery.start_soon(tab.recording.observe, root)
            await trio.testing.wait_all_tasks_blocked()
            await tab.recording.stop()
            browser.script.resolve({"identifier": "1"})
            await trio.testing.wait_all_tasks_blocked()
            assert browser.sent[-2:] == ["Runtime.removeBinding", "Page.removeScriptToEvaluateOnNewDocument"]
        nursery.cancel_scope.cancel()


class Listing(SilentTransport):
    """A browser that is asked for the hosts of closed roots again and again, and has none."""

    def __init__(self) -> None:
        self.asked: list[PendingReply] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        reply = PendingReply()
        if params.get("expression") == "kapture.takeHosts()":
            self.asked.append(reply)
            reply.resolve({"result": {"objectId": "1"}})
        elif method == "Runtime.getProperties":
            self.asked.append(reply)
        elif method != "Runtime.evaluate":
            reply.resolve({"identifier": "1"})
        return reply


async def test_the_agent_gets_closed_roots_also_while_a_command_runs_and_never_outside_the_grant() -> None:
    browser = Listing()
    async with trio.open_nursery() as nursery:
        tab = Tab(nursery, browser)
        await tab.recording.observe(tab.connection.root)
        tab.give_contexts()
        async with running_beside(lambda: tab.recording.start(tab.events.append)):
            await trio.testing.wait_all_tasks_blocked()
            before = len(browser.asked)
            tab.report(ROOTS_WANTED, context=2)  # the document of another site
            await trio.testing.wait_all_tasks_blocked()
            assert len(browser.asked) == before
            browser.asked[-1].resolve({"result": []})
            await trio.testing.wait_all_tasks_blocked()
            with tab.recording.command():
                tab.report(ROOTS_WANTED)
                await trio.testing.wait_all_tasks_blocked()
            assert len(browser.asked) == before + 2
            for _ in range(9):  # while it is being answered, once more is enough
                tab.report(ROOTS_WANTED)
            browser.asked[-1].resolve({"result": []})
            await trio.testing.wait_all_tasks_blocked()
            assert len(browser.asked) == before + 4
        nursery.cancel_scope.cancel()


async def test_a_recording_that_is_ended_hears_nothing_more_and_waits_for_nothing() -> None:
    async with recorded_tab() as tab:
        tab.recording.end()
        assert not tab.recording.active
        tab.report(CLICK)
        assert tab.events == []


async def test_a_recording_whose_start_is_cancelled_has_not_begun() -> None:
    async with recorded_tab() as tab:
        pass
    assert not tab.recording.active
