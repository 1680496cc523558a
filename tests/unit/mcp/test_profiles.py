"""The tools of each profile: size, schemas, options, and the command that each tool runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.options import Options, parse_options
from kapture.mcp.profiles import profile_of
from kapture.mcp.profiles.chrome import ROWS as CHROME
from kapture.mcp.profiles.minimal import ROWS as MINIMAL
from kapture.mcp.profiles.table import plan_row


def listed_chars(options: Options) -> int:
    listing = {"tools": [tool.listing(structured=options.structured) for tool in profile_of(options).tools]}
    return len(json.dumps(listing, separators=(",", ":"), ensure_ascii=False))


def test_the_default_list_of_tools_stays_small_and_describes_every_parameter() -> None:
    assert listed_chars(Options()) <= 24_000
    for tool in profile_of(Options()).tools:
        assert tool.description
        for name, schema in tool.schema["properties"].items():
            assert schema.get("description"), f"{tool.name}: {name}"


@pytest.mark.parametrize(
    "query", ["profile=x", "toolsets=core,x", "toolsets=", "structured=maybe", "token=abc", "profile=minimal&a"]
)
def test_a_query_with_an_unknown_option_is_refused(query: str) -> None:
    with pytest.raises(KaptureError) as error:
        parse_options(query)
    assert error.value.code is ErrorCode.INVALID_PARAMS


def chrome(name: str, **arguments: Any) -> Any:
    return plan_row(next(row for row in CHROME if row.name == name), arguments)


def test_a_tool_of_a_profile_becomes_a_command() -> None:
    call = chrome("click", selector="#a", button="right", clickCount=2, tabId="t1")
    assert (call.command, call.arguments) == (
        "click",
        {"target": {"css": "#a"}, "button": "right", "count": 2, "tabId": "t1"},
    )
    assert chrome("wait_for", textContains="Saving", gone=True).arguments == {"text_gone": "Saving"}
    assert chrome("wait_for", selector="#a", gone=True, timeoutMs=600).arguments == {
        "target": {"css": "#a"},
        "state": "gone",
        "timeout": 700,  # a command gives up before its timeout, and the blueprint after the whole time
    }
    assert chrome("screenshot", selector="#a", fullPage=False).command == "screenshot"
    assert chrome("wait_for", selector="#a", timeoutMs=600_000).arguments["timeout"] == 600_000
    assert chrome("fill_form", fields={"#a": "x", "#b": True}, submitSelector="#go").arguments == {
        "fields": [{"target": {"css": "#a"}, "value": "x"}, {"target": {"css": "#b"}, "value": True}],
        "submit_target": {"css": "#go"},
    }


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("click", {}, "exactly one of selector and ref"),
        ("download_file", {}, "exactly one of url, selector and ref"),
        ("wait_for", {"timeoutMs": 50}, "needs selector or textContains"),
        ("scroll", {}, "needs x, y, deltaX, deltaY, selector or ref"),
        ("click", {"selector": "a", "ref": "e1"}, "exactly one of selector and ref"),
        ("click", {"selektor": "a"}, "'selector'"),
        ("click", {"selector": True}, "must be string"),
        ("click", {"selector": "a", "button": "top"}, "left, right, middle"),
        ("click", {"selector": "a", "clickCount": True}, "must be integer"),
        ("navigate", {}, "needs url"),
        ("screenshot", {"selector": "a", "ref": "e1"}, "at most one of fullPage, selector and ref"),
        ("screenshot", {"selector": "a", "fullPage": True}, "at most one of fullPage, selector and ref"),
        ("get_text", {"selector": "a", "ref": "e1"}, "only one of"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_the_tools_own_words(
    name: str, arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(KaptureError) as error:
        chrome(name, **arguments)
    assert error.value.code is ErrorCode.INVALID_PARAMS
    assert named in str(error.value)


@pytest.mark.parametrize(
    ("name", "sent", "meant"),
    [
        ("click", {"ref": "e1", "selector": "", "clickCount": "2"}, {"ref": "e1", "clickCount": 2}),
        ("click", {"ref": "e1", "selector": None, "clickCount": 2.0}, {"ref": "e1", "clickCount": 2}),
        ("press", {"key": "a", "modifiers": '["Shift"]'}, {"key": "a", "modifiers": ["Shift"]}),
        ("fill_form", {"fields": '{"#a": "true"}'}, {"fields": {"#a": "true"}}),
        ("type", {"ref": "e1", "text": "3", "clear": "true"}, {"ref": "e1", "text": "3", "clear": True}),
        ("wait_for", {"selector": "a", "timeoutMs": "3000"}, {"selector": "a", "timeoutMs": 3000}),
        ("screenshot", {"fullPage": "false", "ref": "e1"}, {"fullPage": False, "ref": "e1"}),
    ],
)
def test_json_text_is_read_where_the_tool_takes_no_text(name: str, sent: dict[str, Any], meant: dict[str, Any]) -> None:
    assert chrome(name, **sent) == chrome(name, **meant)


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
