"""Profiles over a session: what their tools answer, and which tab they work on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
import toons
import trio

import kapture.commands  # noqa: F401  declares every command
from kapture.backends.backend import left_error
from kapture.commands.core.answer import CallResult
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.mcp.options import Options
from kapture.mcp.profiles.chrome import ROWS as CHROME
from kapture.mcp.profiles.table import plan_row
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.support.stack import text_of
from tests.unit.mcp.conftest import Connect


def chrome(name: str, **arguments: Any) -> Any:
    return plan_row(next(row for row in CHROME if row.name == name), arguments)


async def test_plain_answers_are_parseable_as_a_whole_and_marked_beside_the_text(
    hub: FakeHub, connect: Connect
) -> None:
    hub.connect_tab("t1")

    async def snapshot(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("url: https://a/")

    async def fails(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        raise KaptureError(ErrorCode.EXECUTION_ERROR, "words of the page")

    hub.behaviours = {"snapshot": snapshot, "logs": fails}
    async with connect(Options(profile="minimal", plain_answers=True)) as client:
        page = await client.call_tool("snapshot", {})
        error = await client.call_tool("console", {})
        assert "pageContent" in (client.instructions or "")
    assert text_of(page) == "url: https://a/"
    assert page.structured_content == {"pageContent": True}
    assert "<page-content" in text_of(error)


async def test_unfilled_field_is_named_as_by_the_client(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("t1")
    error = {
        "code": ErrorCode.ELEMENT_NOT_FOUND,
        "message": "No element matches.",
        "hint": "Take a snapshot to see what is on the page.",
    }

    async def fill_form(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        one = {"field": "<input> ref=e1", "filled": True}
        return result("filled 1 of 2", results=[one, {"field": "css '#b'", "filled": False, "error": error}])

    hub.behaviours = {"fill_form": fill_form}
    async with connect(Options(profile="chrome", plain_answers=True)) as client:
        answer = json.loads(text_of(await client.call_tool("fill_form", {"fields": {"#a": "1", "#b": "2"}})))
    assert (answer["filled"], answer["submitted"]) == (1, False)
    [failed] = answer["failed"]
    assert (failed["field"], failed["error"]["code"]) == ("#b", "SELECTOR_NOT_FOUND")


async def test_the_status_of_the_chrome_profile_says_why_it_is_not_ready_and_who_tried_to_displace_a_tab(
    hub: FakeHub, connect: Connect
) -> None:
    facts: dict[str, Any] = {
        "tabs": [],
        "noTab": {"message": "No tab is connected.", "advice": "Press Connect."},
        "refusedDisplacements": [{"tabId": "t1"}],
    }

    async def status(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", status=facts)

    hub.behaviours = {"status": status}
    async with connect(Options(profile="chrome", plain_answers=True)) as client:
        absent = json.loads(text_of(await client.call_tool("chrome_status", {})))
        hub.connect_tab("t1")
        row = {"tabId": "t1", "backend": "extension", "state": "connected", "silentMs": 12}
        facts |= {"tabs": [row], "noTab": None, "refusedDisplacements": []}
        there = json.loads(text_of(await client.call_tool("chrome_status", {})))
    assert (absent["ready"], absent["detail"]) == (False, "No tab is connected. Press Connect.")
    assert (absent["refusedDisplacements"], absent["silentMs"]) == (1, None)
    assert (there["ready"], there["activeTabId"], there["silentMs"]) == (True, "t1", 12)
    assert (there["refusedDisplacements"], "detail" in there) == (0, False)


async def test_the_minimal_profile_keeps_to_one_tab_and_fails_when_it_is_gone(hub: FakeHub, connect: Connect) -> None:
    async with connect(Options(profile="minimal")) as client:
        nothing = await client.call_tool("snapshot", {})
        hub.connect_tab("first")
        await client.call_tool("snapshot", {})
        hub.connect_tab("second")
        await client.call_tool("snapshot", {})
        del hub.tabs["first"]
        gone = await client.call_tool("snapshot", {})
        await client.call_tool("snapshot", {})
    assert toons.loads(text_of(nothing))["error"]["code"] == "NO_TAB"
    error = toons.loads(text_of(gone))["error"]
    assert (error["code"], error["message"]) == ("NO_TAB", "The current tab first is no longer connected.")
    assert [arguments["tabId"] for _, _, arguments in hub.calls] == ["first", "first", "second"]


async def test_a_chosen_tab_that_is_gone_is_followed_by_a_browser_where_the_hub_launches_one(
    hub: FakeHub, connect: Connect
) -> None:
    async with connect(Options(profile="chrome")) as client:
        hub.connect_tab("first")
        await client.call_tool("tab_select", {"tabId": "first"})
        del hub.tabs["first"]
        hub.choice.falls_back = True
        gone = await client.call_tool("get_text", {})
    assert text_of(gone).endswith("The current tab first is no longer connected. The next call launches a browser.")


async def test_an_action_that_is_done_is_no_error_when_its_snapshot_fails(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("t1")

    async def click(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("clicked", untrusted=False, done=True)

    async def snapshot(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        raise KaptureError(
            ErrorCode.DIALOG_OPEN, 'alert "hey" is open.', hint=Wording("Answer it with {handle_dialog}.")
        )

    hub.behaviours = {"click": click, "snapshot": snapshot}
    async with connect(Options(profile="minimal")) as client:
        answer = await client.call_tool("interact", {"action": "click", "element": {"ref": "e1"}, "snapshot": True})
    assert not answer.is_error
    opening, *lines, _ = text_of(answer).splitlines()
    assert opening.startswith("<page-content ")
    shown = toons.loads("\n".join(lines))
    assert shown["success"] is True
    assert shown["snapshotError"].startswith('DIALOG_OPEN: alert "hey" is open. Answer it with interact (action ')


async def test_the_chrome_profile_works_on_the_tab_that_was_selected(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("a")
    hub.connect_tab("b")

    async def activate(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", untrusted=False, tabId=arguments["tabId"])

    async def rows(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", tabs=[{"tabId": tab, "url": "https://a/", "title": "A"} for tab in hub.tabs])

    hub.behaviours = {"tab_activate": activate, "list_tabs": rows}
    async with connect(Options(profile="chrome")) as client:
        selected = text_of(await client.call_tool("tab_select", {"tabId": "a"}))
        clicked = text_of(await client.call_tool("click", {"ref": "e1"}))
        listed = text_of(await client.call_tool("tabs_list", {}))
    shown = json.loads(selected.splitlines()[1])
    assert shown == {"tabId": "a", "url": "https://a/", "title": "A", "active": True, "index": 0}
    assert json.loads(clicked.splitlines()[1]) == {"ok": True}
    assert [(row["tabId"], row["active"], row["index"]) for row in json.loads(listed.splitlines()[1])] == [
        ("a", True, 0),
        ("b", False, 1),
    ]
    assert [arguments.get("tabId") for _, name, arguments in hub.calls if name == "click"] == ["a"]


@pytest.mark.parametrize(
    ("error", "blueprint"),
    [
        (KaptureError(ErrorCode.COMMAND_TIMEOUT, ""), "TIMEOUT"),
        (KaptureError(ErrorCode.ELEMENT_NOT_FOUND, ""), "SELECTOR_NOT_FOUND"),
        (KaptureError(ErrorCode.TAB_NOT_FOUND, ""), "STALE_TAB"),
        (KaptureError(ErrorCode.TAB_DISCONNECTED, ""), "EXTENSION_DISCONNECTED"),
        (left_error("t2", "target_closed", "while this ran"), "STALE_TAB"),
        (KaptureError(ErrorCode.QUEUE_FULL, "", data={"reason": ["full"]}), "BACKPRESSURE"),
    ],
)
async def test_the_chrome_profile_names_errors_as_its_blueprint_does(
    hub: FakeHub, connect: Connect, error: KaptureError, blueprint: str
) -> None:
    hub.connect_tab("t1")

    async def fails(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        raise error

    hub.behaviours = {"click": fails}
    async with connect(Options(profile="chrome")) as client:
        answer = await client.call_tool("click", {"selector": "#a"})
    assert answer.is_error
    assert text_of(answer).startswith(f"{blueprint}: ")


async def test_the_chrome_profiles_download_has_the_suggested_name_or_the_files(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("t1")

    async def download(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("saved", path="/downloads/" + arguments.get("name", "report.csv"), bytes=3, type="")

    hub.behaviours = {"download_file": download}
    async with connect(Options(profile="chrome", plain_answers=True)) as client:
        own = await client.call_tool("download_file", {"url": "https://a.example/x"})
        named = await client.call_tool("download_file", {"url": "https://a.example/x", "suggestedName": "mine.csv"})
    answers = [json.loads(text_of(one)) for one in (own, named)]
    assert [answer["suggestedName"] for answer in answers] == ["report.csv", "mine.csv"]
    assert [answer["path"] for answer in answers] == ["/downloads/report.csv", "/downloads/mine.csv"]
    assert "mimeType" not in answers[0]


async def test_a_token_tab_says_of_no_other_that_it_is_the_one_that_it_has_opened(
    hub: FakeHub, connect: Connect
) -> None:
    hub.connect_tab("mine", kind="token", backend="token")
    hub.connect_tab("theirs")

    async def opens(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", tabId="theirs", url="https://shop.example/")

    hub.behaviours = {"tab_new": opens}
    async with connect(Options(profile="chrome")) as client:
        await client.call_tool("tab_select", {"tabId": "mine"})
        await client.call_tool("tab_new", {"url": "https://shop.example/"})
        await client.call_tool("click", {"ref": "e1"})
    assert [call[2]["tabId"] for call in hub.calls if call[1] == "click"] == ["mine"]


async def test_a_tab_that_was_opened_is_answered_once_its_page_has_a_title(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("t1")

    async def opens(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        hub.connect_tab("t2", title="")
        return result("", tabId="t2", url="https://a/")

    async def rows(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", tabs=hub.tab_rows())

    async def get_title() -> None:
        await hub.until(lambda: "t2" in hub.tabs)
        hub.tabs["t2"].title = "A"
        hub.emit("tab_changed", "t2")

    hub.behaviours = {"tab_new": opens, "list_tabs": rows}
    async with connect(Options(profile="chrome", plain_answers=True)) as client, trio.open_nursery() as nursery:
        nursery.start_soon(get_title)
        assert json.loads(text_of(await client.call_tool("tab_new", {"url": "https://a/"})))["title"] == "A"
