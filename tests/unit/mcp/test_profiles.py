from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import attrs
import mcp_types as types
import pytest
import toons

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.registry import Access, Scope, get_command
from kapture.commands.core.result import CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.options import DEFAULT_TOOLSETS, TOOLSETS, Options, parse_options
from kapture.mcp.profiles import profile_of
from kapture.mcp.profiles.browser import ROWS as BROWSER
from kapture.mcp.profiles.chrome import ROWS as CHROME
from kapture.mcp.profiles.minimal import ROWS as MINIMAL
from kapture.mcp.profiles.table import Row, plan_row
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.unit.mcp.conftest import Connect
from tests.unit.mcp.test_session import text_of

ALL_ROWS = [*MINIMAL, *CHROME, *BROWSER]


def listed_bytes(options: Options, *, full: bool = False, declared: bool = False) -> int:
    tools = [
        tool
        for tool in profile_of(options).tools
        if (full or tool.access < Access.FULL) and (declared or not tool.for_page_tools)
    ]
    listing = {"tools": [tool.listing(structured=options.structured) for tool in tools]}
    return len(json.dumps(listing, separators=(",", ":"), ensure_ascii=False).encode())


@pytest.mark.parametrize("full", [False, True])
def test_the_default_list_of_tools_stays_small_and_describes_every_parameter(full: bool) -> None:
    assert listed_bytes(Options(), full=full) < 16_000
    assert listed_bytes(Options(), full=full, declared=True) < 17_000
    for tool in profile_of(Options()).tools:
        assert tool.description
        for name, schema in tool.schema["properties"].items():
            assert schema.get("description"), f"{tool.name}: {name}"


def test_the_minimal_list_of_tools_stays_tiny() -> None:
    assert listed_bytes(Options(profile="minimal"), full=True) < 3_000
    assert [tool.name for tool in profile_of(Options(profile="minimal")).tools] == [
        "snapshot",
        "navigate",
        "interact",
        "console",
    ]


def test_the_profiles_have_the_tools_of_their_specifications() -> None:
    chrome = {tool.name for tool in profile_of(Options(profile="chrome")).tools}
    assert chrome == {
        *("tabs_list", "tab_select", "tab_new", "tab_close", "navigate", "back", "forward", "reload", "click", "type"),
        *("press", "hover", "scroll", "screenshot", "get_text", "get_html", "eval", "wait_for", "extract_links"),
        *("read_as_markdown", "fill_form", "download_file", "chrome_status"),
        "handle_dialog",
    }
    browser = {tool.name for tool in profile_of(Options(profile="browser")).tools}
    assert browser == {
        f"browser_{name}"
        for name in (
            *("list_tabs", "navigate", "screenshot", "click", "type", "get_content", "evaluate", "new_tab", "status"),
            "handle_dialog",
        )
    }


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: row.name)
def test_every_row_speaks_of_parameters_that_its_commands_have(row: Row) -> None:
    by_choice = {"": row.command} if isinstance(row.command, str) else dict(row.command)
    for name in by_choice.values():
        command = get_command(name)
        known = {field.name for field in attrs.fields(command.params)} | {"timeout"}
        known |= {"tabId"} if command.scope is Scope.TAB else set()
        choices = [choice for choice, chosen in by_choice.items() if chosen == name]
        for param in row.params.values():
            if param.to and param.to != "gone" and (not param.only or set(param.only) & set(choices)):
                assert param.to in known, f"{row.name} → {name}: {param.to}"
        assert set(row.fixed) <= known


def test_every_toolset_can_be_asked_for_and_all_are_all() -> None:
    names = {tool.name for tool in profile_of(Options(toolsets=TOOLSETS)).tools}
    parts: set[str] = set()
    for toolset in TOOLSETS:
        parts |= {tool.name for tool in profile_of(Options(toolsets=(toolset,))).tools}
    assert parts == names
    assert parse_options("toolsets=all").toolsets == TOOLSETS
    assert parse_options("").toolsets == DEFAULT_TOOLSETS


@pytest.mark.parametrize(
    "query", ["profile=x", "toolsets=core,x", "toolsets=", "structured=maybe", "token=abc", "profile=minimal&a"]
)
def test_a_query_with_an_unknown_option_is_refused(query: str) -> None:
    with pytest.raises(KaptureError) as error:
        parse_options(query)
    assert error.value.code is ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(profile="minimal", plain_answers=True),
        Options(toolsets=("core", "raw"), structured=True),
    ],
)
def test_a_query_carries_options_unchanged(options: Options) -> None:
    assert parse_options(options.query()) == options


def chrome(name: str, **arguments: Any) -> Any:
    return plan_row(next(row for row in CHROME if row.name == name), arguments)


def test_a_tool_of_a_profile_becomes_a_command() -> None:
    call = chrome("click", selector="#a", button="right", clickCount=2, tabId="t1")
    assert (call.command, call.arguments) == (
        "click",
        {"target": {"css": "#a"}, "button": "right", "count": 2, "tabId": "t1"},
    )
    assert chrome("wait_for", textContains="Saving", gone=True).arguments == {"text_gone": "Saving"}
    assert chrome("wait_for", selector="#a", gone=True, timeoutMs=50).arguments == {
        "target": {"css": "#a"},
        "state": "gone",
        "timeout": 50,
    }
    assert chrome("fill_form", fields={"#a": "x", "#b": True}, submitSelector="#go").arguments == {
        "fields": [{"target": {"css": "#a"}, "value": "x"}, {"target": {"css": "#b"}, "value": True}],
        "submit_target": {"css": "#go"},
    }


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("click", {}, "exactly one of selector and ref"),
        ("click", {"selector": "a", "ref": "e1"}, "exactly one of selector and ref"),
        ("click", {"selektor": "a"}, "'selector'"),
        ("click", {"selector": 3}, "must be string"),
        ("click", {"selector": "a", "button": "top"}, "left, right, middle"),
        ("click", {"selector": "a", "clickCount": True}, "must be integer"),
        ("navigate", {}, "needs url"),
        ("screenshot", {"selector": "a", "ref": "e1"}, "only one of"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_the_tools_own_words(
    name: str, arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(KaptureError) as error:
        chrome(name, **arguments)
    assert error.value.code is ErrorCode.INVALID_PARAMS
    assert named in str(error.value)


@pytest.mark.parametrize("element", [{}, {"xpath": "//a"}, {"ref": "e1", "css": "a"}, {"name": "x"}, {"ref": 1}])
def test_the_minimal_profile_names_elements_in_three_ways(element: dict[str, Any]) -> None:
    interact = next(row for row in MINIMAL if row.name == "interact")
    with pytest.raises(KaptureError):
        plan_row(interact, {"action": "click", "element": element})
    with pytest.raises(KaptureError):
        plan_row(interact, {"action": "click", "element": {"ref": "e1"}, "text": "for type only"})
    good = plan_row(interact, {"action": "click", "element": {"role": "button", "name": "Save"}})
    assert good.arguments == {"target": {"role": "button", "name": "Save"}}


@pytest.mark.parametrize(
    ("given", "command", "arguments"),
    [
        ({"action": "click"}, "click", {}),
        ({"action": "type", "text": "a"}, "type", {"text": "a"}),
        ({"action": "hover"}, "hover", {}),
        ({"action": "select", "value": "b"}, "select", {"value": "b"}),
        ({"action": "press", "key": "Enter"}, "press", {"key": "Enter"}),
    ],
)
def test_each_action_of_interact_runs_the_command_of_its_name(
    given: dict[str, Any], command: str, arguments: dict[str, Any]
) -> None:
    interact = next(row for row in MINIMAL if row.name == "interact")
    call = plan_row(interact, {**given, "element": {"ref": "e1"}})
    assert (call.command, call.arguments) == (command, {"target": {"ref": "e1"}, **arguments})


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({"action": "accept_dialog"}, {}),
        ({"action": "accept_dialog", "text": "Ada"}, {"text": "Ada"}),
        ({"action": "dismiss_dialog"}, {"accept": False}),
    ],
)
def test_interact_answers_dialogs(given: dict[str, Any], arguments: dict[str, Any]) -> None:
    interact = next(row for row in MINIMAL if row.name == "interact")
    call = plan_row(interact, given)
    assert (call.command, call.arguments) == ("handle_dialog", arguments)
    with pytest.raises(KaptureError, match="element does not go with action"):
        plan_row(interact, {**given, "element": {"ref": "e1"}})


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


async def test_an_open_dialog_is_reported_with_the_profiles_own_tool(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("t1")

    async def click(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        effect = 'dialog alert "answer it with handle_dialog" is open; answer it with handle_dialog'
        return result(f"clicked\n{effect}", effects=[effect])

    hub.behaviours = {"click": click}
    async with connect(Options(profile="minimal")) as minimal, connect(Options(profile="browser")) as browser:
        by_ref = await minimal.call_tool("interact", {"action": "click", "element": {"ref": "e1"}})
        by_selector = await browser.call_tool("browser_click", {"selector": "a"})
    ours = 'dialog alert "answer it with handle_dialog" is open; answer it with '.replace('"', '\\"')
    assert f"{ours}interact (action accept_dialog or dismiss_dialog)" in text_of(by_ref)
    assert text_of(by_selector).splitlines()[2].endswith("is open; answer it with browser_handle_dialog")


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
    assert text_of(nothing).startswith("NO_TAB: ")
    assert text_of(gone).startswith("NO_TAB: The current tab first is no longer connected.")
    assert [arguments["tabId"] for _, _, arguments in hub.calls] == ["first", "first", "second"]


async def test_the_minimal_profile_answers_in_toon(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("t1")

    async def logs(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        entry = {"timestamp": "2023-12-10T12:04:27.123Z", "level": "error", "message": "Uncaught, TypeError"}
        return result("other words", entries=[entry], cursor=1)

    async def snapshot(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        assert arguments["format"] == "toon"
        return result("url: https://a/\nelements[0]:")

    hub.behaviours = {"logs": logs, "snapshot": snapshot}
    async with connect(Options(profile="minimal")) as client:
        console = text_of(await client.call_tool("console", {}))
        acted = text_of(
            await client.call_tool("interact", {"action": "click", "element": {"ref": "e1"}, "snapshot": True})
        )
    body = "\n".join(console.splitlines()[1:-1])
    assert toons.loads(body) == {"logs": [{"level": "error", "ts": 1702209867, "text": "Uncaught, TypeError"}]}
    assert acted.splitlines()[1:-1] == ["success: true", "url: https://a/", "elements[0]:"]


async def test_the_chrome_profile_works_on_the_tab_that_was_selected(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("a")
    hub.connect_tab("b")

    async def activate(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", tabId=arguments["tabId"])

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


def test_types_are_the_sdks(hub: FakeHub) -> None:
    """What is listed as a dictionary is a tool as the SDK defines it."""
    for profile in ("kapture", "minimal", "chrome", "browser"):
        for tool in profile_of(Options(profile=profile, structured=True)).tools:
            types.Tool.model_validate(tool.listing(structured=True), by_name=False)
