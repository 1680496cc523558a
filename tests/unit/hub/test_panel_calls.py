"""The commands that a tab's panel is offered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import trio

from kapture.backends.outbox import Outbox
from kapture.cdp import CdpConnection
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import Progress
from kapture.hub.panel_calls import PanelCalls, arguments_of
from kapture.page.agent_calls import AgentCalls
from kapture.page.documents.frame import Renderer
from kapture.page.documents.frames import FrameTree
from kapture.page.page_tools import page_tool
from kapture.wire import panel_messages
from tests.support.cdp_transports import SilentTransport


class Kept(Outbox):
    """Keeps what is sent."""

    def __init__(self) -> None:
        super().__init__(1_000_000)
        self.sent: list[Any] = []

    def put(self, frame: str, *, limited: bool = True) -> None:
        self.sent.append(json.loads(frame))


async def _no_call(name: str, params: Mapping[str, Any], progress: Progress) -> CallResult:
    raise NotImplementedError


async def test_the_panel_is_offered_the_tools_of_pages_that_can_be_called(nursery: trio.Nursery) -> None:
    connection = CdpConnection(SilentTransport())
    frames = FrameTree(lambda _: True, AgentCalls(Renderer(lambda: None)))
    frames.take(connection.root, {"frame": {"id": "M", "url": "https://shop.example/", "loaderId": "L"}})
    schema = {"type": "object", "properties": {"n": {"type": "number"}}}
    usable = page_tool({"name": "add", "description": "Adds", "inputSchema": schema}, frames.main)
    unusable = page_tool({"name": "huge", "inputSchema": {"description": "x" * 50_000}}, frames.main)
    assert usable is not None
    assert unusable is not None
    outbox = Kept()
    panel = PanelCalls(_no_call, lambda _: None, lambda: [usable, unusable], outbox, 4)
    panel.take(nursery, panel_messages.ListCommands(id="p1"))
    (answer,) = outbox.sent
    assert {"click", "call_page_tool"} <= {row["name"] for row in answer["result"]["commands"]}
    expected = {"name": "add", "frame": "main", "description": "Adds", "schema": schema}
    assert answer["result"]["pageTools"] == [expected]


def test_a_panels_call_goes_to_its_own_tab_and_to_none_where_the_command_takes_none() -> None:
    assert arguments_of("own", "click", {"target": "#a", "tabId": "other"}) == {"target": "#a", "tabId": "own"}
    assert arguments_of("own", "run_scenario", {"name": "a", "tabId": "other"}) == {"name": "a", "tabId": "own"}
    assert arguments_of("own", "list_scenarios", {}) == {}
    assert arguments_of("own", "nonsense", {"x": 1}) == {"x": 1}
