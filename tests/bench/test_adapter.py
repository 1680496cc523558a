"""Tools as the known servers list them (Playwright MCP 0.0.83, chrome-devtools-mcp 1.11.0), cut to what counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bench.peers.adapter import Names, NoToolError, Tool, find_refs, plan
from bench.peers.operations import OPERATIONS, SCRIPT, Call, Element

TEXT, NUMBER, TEXTS = {"type": "string"}, {"type": "number"}, {"type": "array", "items": {"type": "string"}}
NAME = Element("name", "textbox", "Name")
MAIL = Element("mail", "textbox", "Email")
NAMES = Names(refs={"name": "e1", "mail": "e2"}, page=3)


def tool(name: str, *required: str, **properties: Any) -> Tool:
    return Tool(name, {"type": "object", "properties": properties, "required": list(required)})


def form(key: str, *required: str) -> dict[str, Any]:
    properties = dict.fromkeys((key, "element", "name", "type", "value"), TEXT)
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": list(required)}}


PLAYWRIGHT = [
    tool("browser_evaluate", "function", element=TEXT, target=TEXT, function=TEXT, filename=TEXT),
    tool("browser_click", "target", element=TEXT, target=TEXT, doubleClick={"type": "boolean"}),
    tool("browser_hover", "target", element=TEXT, target=TEXT),
    tool("browser_type", "target", "text", element=TEXT, target=TEXT, text=TEXT, submit={"type": "boolean"}),
    tool("browser_select_option", "target", "values", element=TEXT, target=TEXT, values=TEXTS),
    tool("browser_fill_form", "fields", fields=form("target", "target", "name", "type", "value")),
    tool("browser_snapshot", target=TEXT, filename=TEXT, depth=NUMBER),
    tool("browser_take_screenshot", "scale", target=TEXT, type=TEXT, scale={"type": "string", "default": "css"}),
    tool("browser_navigate", "url", url=TEXT),
    tool("browser_navigate_back"),
]
DEVTOOLS = [
    tool("evaluate_script", "function", pageId=NUMBER, function=TEXT, args=TEXTS),
    tool("click", "pageId", "uid", pageId=NUMBER, uid=TEXT, dblClick={"type": "boolean"}),
    tool("hover", "pageId", "uid", pageId=NUMBER, uid=TEXT),
    tool("fill", "pageId", "uid", "value", pageId=NUMBER, uid=TEXT, value=TEXT),
    tool("type_text", "pageId", "text", pageId=NUMBER, text=TEXT),
    tool("fill_form", "pageId", "elements", pageId=NUMBER, elements=form("uid", "uid", "value")),
    tool("take_snapshot", "pageId", pageId=NUMBER, verbose={"type": "boolean"}),
    tool("take_screenshot", "pageId", pageId=NUMBER, format=TEXT),
    tool("navigate_page", "pageId", pageId=NUMBER, type=TEXT, url=TEXT),
    tool("select_page", "pageId", pageId=NUMBER),
    tool("list_pages"),
]


def arguments(operation: str, tools: Sequence[Tool], **call: Any) -> tuple[str, dict[str, Any]]:
    found = plan(operation, tools)
    return found.tool, found.arguments(Call(**call), NAMES)


def test_playwright_is_called_as_its_tools_ask_for() -> None:
    assert arguments("evaluate", PLAYWRIGHT) == ("browser_evaluate", {"function": f"() => {SCRIPT}"})
    assert arguments("click", PLAYWRIGHT, elements=[NAME]) == ("browser_click", {"target": "e1"})
    assert arguments("fill", PLAYWRIGHT, elements=[NAME], text="a") == ("browser_type", {"target": "e1", "text": "a"})
    assert arguments("select", PLAYWRIGHT, elements=[NAME], text="Peru") == (
        "browser_select_option",
        {"target": "e1", "values": ["Peru"]},
    )
    fields = [
        {"target": ref, "name": name, "type": "textbox", "value": "a"}
        for ref, name in (("e1", "Name"), ("e2", "Email"))
    ]
    assert arguments("form", PLAYWRIGHT, elements=[NAME, MAIL], text="a") == ("browser_fill_form", {"fields": fields})
    assert arguments("navigate", PLAYWRIGHT, url="http://a/") == ("browser_navigate", {"url": "http://a/"})
    assert arguments("snapshot", PLAYWRIGHT) == ("browser_snapshot", {})
    assert arguments("screenshot", PLAYWRIGHT) == ("browser_take_screenshot", {"scale": "css"})


def test_chrome_devtools_is_called_as_its_tools_ask_for() -> None:
    assert arguments("click", DEVTOOLS, elements=[NAME]) == ("click", {"uid": "e1", "pageId": 3})
    chosen = {"uid": "e1", "value": "Peru", "pageId": 3}
    assert arguments("select", DEVTOOLS, elements=[NAME], text="Peru") == ("fill", chosen)
    fields = [{"uid": "e1", "value": "a"}, {"uid": "e2", "value": "a"}]
    assert arguments("form", DEVTOOLS, elements=[NAME, MAIL], text="a") == (
        "fill_form",
        {"elements": fields, "pageId": 3},
    )
    assert arguments("navigate", DEVTOOLS, url="http://a/") == ("navigate_page", {"url": "http://a/", "pageId": 3})
    assert arguments("snapshot", DEVTOOLS) == ("take_snapshot", {"pageId": 3})


def test_every_known_server_does_every_operation() -> None:
    for tools in (PLAYWRIGHT, DEVTOOLS):
        for operation in OPERATIONS:
            plan(operation.name, tools)


def test_only_what_names_elements_by_refs_needs_a_snapshot_before() -> None:
    by_css = [tool("click", "selector", selector=TEXT), *PLAYWRIGHT]
    assert not plan("click", by_css).needs_refs
    assert arguments("click", by_css, elements=[NAME]) == ("click", {"selector": "#name"})
    assert plan("click", PLAYWRIGHT).needs_refs
    assert plan("form", PLAYWRIGHT).needs_refs
    assert not plan("evaluate", PLAYWRIGHT).needs_refs


def test_a_parameter_that_is_required_though_it_has_a_default_is_given_it() -> None:
    tools = [tool("screenshot", "type", "quality", type={"enum": ["png", "jpeg"]}, quality={"default": 80})]
    assert arguments("screenshot", tools) == ("screenshot", {"type": "png", "quality": 80})


def test_a_target_that_takes_an_object_is_given_the_ref_in_one() -> None:
    tools = [tool("x_click", target={"type": ["string", "object"]})]
    assert arguments("click", tools, elements=[NAME]) == ("x_click", {"target": {"ref": "e1"}})


def test_a_parameter_that_takes_any_value_is_used_like_any_other() -> None:
    tools = [tool("click", "target", target={"anyOf": [True]}, options=True)]
    assert arguments("click", tools, elements=[NAME]) == ("click", {"target": "e1"})
    with pytest.raises(NoToolError, match="needs 'options'"):
        plan("click", [tool("click", "target", "options", target=TEXT, options=True)])


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        ([], "it has no tool for this"),
        ([tool("navigate_to_click")], "its tool navigate_to_click has no parameter uid, ref, target"),
        ([tool("click", "ref", "mood", ref=TEXT, mood=TEXT)], "its tool click needs 'mood', which is not known here"),
    ],
)
def test_what_a_server_cannot_do_has_a_reason(tools: list[Tool], reason: str) -> None:
    with pytest.raises(NoToolError, match=reason):
        plan("click", tools)


@pytest.mark.parametrize(
    "line",
    [
        '- textbox "Name" [ref=e1]',
        'uid=e1 textbox "Name" required',
        '  - textbox "Name " [active] [ref=e1]:',
        'textbox "Name" ref=e1: "Ada"',
    ],
)
def test_refs_are_found_in_the_snapshots_of_the_known_servers(line: str) -> None:
    assert find_refs(f'heading "Name" ref=e9\n{line}\n', [NAME]) == {"name": "e1"}


def test_an_element_that_a_snapshot_does_not_show_is_named() -> None:
    with pytest.raises(NoToolError, match='its snapshot shows no textbox "Email" with a ref'):
        find_refs('- textbox "Name" [ref=e1]', [NAME, MAIL])
