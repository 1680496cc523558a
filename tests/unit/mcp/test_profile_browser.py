"""The `browser` profile: the words of the relay's specification where no browser is connected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.answer import CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.options import Options
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.support.stack import text_of
from tests.unit.mcp.conftest import Connect


async def test_a_tab_that_is_named_while_none_is_connected_is_answered_in_the_relays_words(
    hub: FakeHub, connect: Connect
) -> None:
    async def click(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        raise KaptureError(ErrorCode.TAB_NOT_FOUND, "There is no tab '7'.")

    hub.behaviours = {"click": click}
    async with connect(Options(profile="browser")) as client:
        nobody = await client.call_tool("browser_click", {"tabId": 7, "selector": "a"})
        hub.connect_tab("t1")
        somebody = await client.call_tool("browser_click", {"tabId": 7, "selector": "a"})
    assert "NO_BACKEND: Chrome extension not connected. " in f"{text_of(nobody)} "
    assert "TAB_NOT_FOUND" in text_of(somebody)


@pytest.mark.parametrize(("state", "refused"), [("extension_never_seen", True), ("no_tab_connected", False)])
async def test_listing_tabs_without_a_browser_is_answered_in_the_relays_words(
    state: str, refused: bool, hub: FakeHub, connect: Connect
) -> None:
    async def rows(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", tabs=[], none={"state": state, "message": "No tab is connected.", "advice": "Start one."})

    hub.behaviours = {"list_tabs": rows}
    async with connect(Options(profile="browser")) as client:
        listed = await client.call_tool("browser_list_tabs", {})
    assert listed.is_error == refused
    assert ("Chrome extension not connected. Start one." in text_of(listed)) == refused


async def test_navigating_is_answered_with_the_tab(hub: FakeHub, connect: Connect) -> None:
    async def navigate(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", url="https://a.test/", title="A", status=200)

    hub.behaviours = {"navigate": navigate}
    hub.connect_tab("t1")
    async with connect(Options(profile="browser", plain_answers=True)) as client:
        answer = await client.call_tool("browser_navigate", {"url": "https://a.test/"})
    assert json.loads(text_of(answer)) == {"tabId": "t1", "url": "https://a.test/", "title": "A", "status": 200}


async def test_a_named_tab_is_answered_at_once_in_the_relays_words_while_none_is_connected(
    hub: FakeHub, connect: Connect
) -> None:
    async with connect(Options(profile="browser")) as client:
        refused = await client.call_tool("browser_click", {"tabId": "7.abcd", "selector": "a"})
    assert "NO_BACKEND: Chrome extension not connected." in text_of(refused)
    assert hub.calls == []  # nothing waits for the tab to come back


async def test_a_call_that_the_relay_took_with_it_may_have_taken_effect(hub: FakeHub, connect: Connect) -> None:
    async def click(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        hub.tabs.clear()
        raise KaptureError(ErrorCode.TAB_DISCONNECTED, "It may have taken effect.")

    hub.behaviours = {"click": click}
    hub.connect_tab("t1")
    async with connect(Options(profile="browser")) as client:
        lost = await client.call_tool("browser_click", {"tabId": "t1", "selector": "a"})
    assert "NO_BACKEND: Chrome extension not connected. It may have taken effect." in text_of(lost)


async def test_content_that_is_cut_says_so(hub: FakeHub, connect: Connect) -> None:
    async def read(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", content="abc", start=0, length=9)

    hub.behaviours = {"get_text": read}
    hub.connect_tab("t1")
    async with connect(Options(profile="browser")) as client:
        assert "characters 0-3 of 9" in text_of(await client.call_tool("browser_get_content", {}))
