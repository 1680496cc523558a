"""The title is that of the current document."""

from __future__ import annotations

from typing import Any

from kapture.cdp import CdpConnection
from kapture.page.agent_calls import AgentCalls
from kapture.page.documents.frame import Renderer
from kapture.page.documents.frames import FrameTree
from kapture.page.title import TITLE_BINDING, Title
from tests.support.cdp_transports import SilentTransport


class Tab:
    def __init__(self) -> None:
        self.connection = CdpConnection(SilentTransport())
        self.frames = FrameTree(lambda _: True, AgentCalls(Renderer(lambda: None)))
        self.title = Title(self.frames)
        self.frames.observe(self.connection.root)
        self.title.observe(self.connection.root)
        self.frames.take(self.connection.root, {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}})

    def event(self, method: str, **params: Any) -> None:
        self.connection.deliver(method, params, None)

    def context(self, number: int) -> None:
        data = {"frameId": "M", "isDefault": False, "type": "isolated"}
        context = {"id": number, "uniqueId": f"U{number}", "name": "kapture", "auxData": data}
        self.event("Runtime.executionContextCreated", context=context)

    def navigate(self) -> None:
        frame = {"id": "M", "url": "https://a.example/next", "loaderId": "L2"}
        self.event("Page.frameNavigated", frame=frame, type="Navigation")

    def report(self, title: str, number: int, name: str = TITLE_BINDING) -> None:
        self.event("Runtime.bindingCalled", name=name, payload=title, executionContextId=number)


def test_the_document_reports_its_title_and_every_change_of_it() -> None:
    tab = Tab()
    tab.context(1)
    tab.report("Inbox", 1)
    tab.report("Inbox (1)", 1)
    assert tab.title.text == "Inbox (1)"


def test_a_new_document_has_no_title_until_it_reports_one() -> None:
    tab = Tab()
    tab.context(1)
    tab.report("Inbox", 1)
    tab.navigate()
    assert tab.title.text == ""


def test_a_document_on_its_way_out_does_not_name_the_next_one() -> None:
    tab = Tab()
    tab.context(1)
    tab.navigate()
    tab.context(2)
    tab.report("Inbox", 1)
    assert tab.title.text == ""
    tab.report("Next", 2)
    assert tab.title.text == "Next"
