"""The `chrome` profile: the tools of the Chrome MCP blueprint, with its names, inputs and answers.

`handle_dialog` is not in the blueprint: without it a dialog could not be answered.

tabId is optional everywhere: without it a tool works on the client's active tab (`tab_select`, `tab_new`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.commands.core.deadline import timeout_to_wait
from kapture.commands.core.params import MAX_TIMEOUT_MS
from kapture.mcp.profiles import chrome_answers as answers
from kapture.mcp.profiles.shapes import TAB, as_css, as_ref, choice, flag, json_fields, json_rows, number, text
from kapture.mcp.profiles.table import Param, Row
from kapture.mcp.tool import PlannedCall

_SELECTOR = Param(schema=text("CSS selector; or ref"), to="target", turn=as_css)
_REF = Param(schema=text("Ref of an element, from an earlier answer"), to="target", turn=as_ref)
_TARGET = {"selector": _SELECTOR, "ref": _REF}
_ONE = ("selector", "ref")
_WAIT = Param(schema=choice("Until when to wait", "load", "domcontentloaded", "networkidle"), to="wait_until")
_OWN_TAB = Param(schema=text("Tab, from tabs_list"), to="tabId")


def _list_tabs(arguments: Mapping[str, Any]) -> PlannedCall:
    return PlannedCall(command="list_tabs", arguments={})


def _choose_gone(planned: dict[str, Any]) -> None:
    """`gone` applies to the text if there is one, otherwise to the element."""
    if planned.pop("gone", False):
        if "text" in planned:
            planned["text_gone"] = planned.pop("text")
        if "target" in planned:
            planned["state"] = "gone"


_NOT_AWAITED = "(value) => typeof value?.then === 'function' ? {} : value"


def _choose_await(planned: dict[str, Any]) -> None:
    """Without `awaitPromise` a promise, which has no value yet, is answered as `{}`."""
    if planned.pop("await_promise", True) is False:
        code = planned["code"].rstrip().rstrip(";")
        planned["code"] = f"({_NOT_AWAITED})({code}\n)"


def _whole_wait(timeout_ms: float) -> float:
    """The command's timeout: commands give up a moment before theirs, and the blueprint waits for the whole time."""
    return min(timeout_to_wait(timeout_ms), MAX_TIMEOUT_MS) if 0 < timeout_ms <= MAX_TIMEOUT_MS else timeout_ms


def _as_fields(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"target": as_css(selector), "value": value} for selector, value in fields.items()]


ROWS = (
    Row(name="tabs_list", description="List the connected tabs.", command="list_tabs", show=answers.tabs),
    Row(
        name="tab_select",
        description="Make a tab the active one, and show it.",
        command="tab_activate",
        params={"tabId": _OWN_TAB},
        required=("tabId",),
        picks_tab="argument",
        then=_list_tabs,
        show=answers.selected_tab,
    ),
    Row(
        name="tab_new",
        description="Open a tab and make it the active one.",
        command="tab_new",
        params={"url": Param(schema=text("Default: an empty page"), to="url")},
        picks_tab="answer",
        then=_list_tabs,
        show=answers.opened_tab,
    ),
    Row(
        name="tab_close",
        description="Close a tab.",
        command="tab_close",
        params={"tabId": _OWN_TAB},
        required=("tabId",),
        show=answers.closed_tab,
    ),
    Row(
        name="navigate",
        description="Go to a URL.",
        command="navigate",
        params={"url": Param(schema=text("Where to"), to="url"), "tabId": TAB, "waitUntil": _WAIT},
        required=("url",),
        show=answers.NAVIGATED,
    ),
    Row(
        name="back", description="Go back in history.", command="go_back", params={"tabId": TAB}, show=answers.NAVIGATED
    ),
    Row(
        name="forward",
        description="Go forward in history.",
        command="go_forward",
        params={"tabId": TAB},
        show=answers.NAVIGATED,
    ),
    Row(
        name="reload",
        description="Load the page again.",
        command="reload",
        params={"tabId": TAB, "waitUntil": _WAIT},
        show=answers.NAVIGATED,
    ),
    Row(
        name="click",
        description="Click an element.",
        command="click",
        params={
            **_TARGET,
            "tabId": TAB,
            "button": Param(schema=choice("Mouse button", "left", "right", "middle"), to="button"),
            "clickCount": Param(schema={"type": "integer", "description": "2: double click"}, to="count"),
        },
        one_of=_ONE,
        show=answers.OK,
    ),
    Row(
        name="type",
        description="Type text into an element.",
        command="type",
        params={
            **_TARGET,
            "text": Param(schema=text("What to type"), to="text"),
            "tabId": TAB,
            "clear": Param(schema=flag("Empty it first"), to="clear"),
            "pressEnter": Param(schema=flag("Press Enter afterwards"), to="press_enter"),
            "keyEvents": Param(schema=flag("A key press for each character"), to="key_events"),
        },
        required=("text",),
        one_of=_ONE,
        show=answers.OK,
    ),
    Row(
        name="press",
        description="Press a key.",
        command="press",
        params={
            "key": Param(schema=text("Enter, ArrowDown, a, ..."), to="key"),
            "modifiers": Param(
                schema={
                    "type": "array",
                    "items": {"type": "string", "enum": ["Alt", "Control", "Meta", "Shift"]},
                    "description": "Keys to hold meanwhile",
                },
                to="modifiers",
            ),
            "tabId": TAB,
        },
        required=("key",),
        show=answers.OK,
    ),
    Row(
        name="hover",
        description="Move the pointer over an element.",
        command="hover",
        params={**_TARGET, "tabId": TAB},
        one_of=_ONE,
        show=answers.OK,
    ),
    Row(
        name="scroll",
        description="Scroll to a position, by a distance, or to an element.",
        command="scroll",
        params={
            "x": Param(schema=number("CSS pixels from the left, with y"), to="x"),
            "y": Param(schema=number("CSS pixels from the top"), to="y"),
            "deltaX": Param(schema=number("By this much to the right"), to="delta_x"),
            "deltaY": Param(schema=number("By this much down"), to="delta_y"),
            **_TARGET,
            "tabId": TAB,
        },
        any_of=("x", "y", "deltaX", "deltaY", *_ONE),
        show=answers.OK,
    ),
    Row(
        name="screenshot",
        description="Picture of the viewport, an element or the full page.",
        command="screenshot",
        params={"fullPage": Param(schema=flag("The whole page"), to="full_page"), **_TARGET, "tabId": TAB},
        at_most_one=("fullPage", *_ONE),
        fixed={"format": "png"},
        show=answers.screenshot,
    ),
    Row(
        name="get_text",
        description="Text of the page or an element.",
        command="get_text",
        params={**_TARGET, "tabId": TAB},
        show=json_fields({"text": "content", "ref": "ref"}),
    ),
    Row(
        name="get_html",
        description="HTML of the page or an element.",
        command="get_html",
        params={**_TARGET, "outer": Param(schema=flag("With its own tag; default true"), to="outer"), "tabId": TAB},
        fixed={"clean": False},
        show=json_fields({"html": "content"}),
    ),
    Row(
        name="eval",
        description="Run JavaScript in the page; needs full access.",
        command="evaluate",
        params={
            "expression": Param(schema=text("JavaScript; its value is the answer"), to="code"),
            "awaitPromise": Param(schema=flag("Wait for a promise's value; default true"), to="await_promise"),
            "tabId": TAB,
        },
        required=("expression",),
        finish=_choose_await,
        show=answers.evaluated,
        show_error=answers.threw,
    ),
    Row(
        name="wait_for",
        description="Wait for an element or a text, or for an element to be gone.",
        command="wait_for",
        params={
            "selector": Param(schema=text("CSS selector"), to="target", turn=as_css),
            "textContains": Param(schema=text("Text that is shown"), to="text"),
            "gone": Param(schema=flag("Wait until it is gone"), to="gone"),
            "timeoutMs": Param(schema=number("Give up after so many milliseconds"), to="timeout", turn=_whole_wait),
            "tabId": TAB,
        },
        any_of=("selector", "textContains"),
        finish=_choose_gone,
        show=answers.waited,
        show_error=answers.ran_out,
    ),
    Row(
        name="extract_links",
        description="Links of the page, or of an element.",
        command="extract_links",
        params={
            "selector": Param(schema=text("Only inside this"), to="target", turn=as_css),
            "sameOriginOnly": Param(schema=flag("Only this site's"), to="same_origin_only"),
            "include": Param(
                schema={"type": "array", "items": {"type": "string"}, "description": "Globs: only these"}, to="include"
            ),
            "exclude": Param(
                schema={"type": "array", "items": {"type": "string"}, "description": "Globs: none of these"},
                to="exclude",
            ),
            "tabId": TAB,
        },
        show=json_rows("links", {"href": "href", "text": "text", "ref": "ref"}, wrap="links"),
    ),
    Row(
        name="read_as_markdown",
        description="The page's main content, or an element, as Markdown.",
        command="read_as_markdown",
        params={"selector": Param(schema=text("Only this"), to="target", turn=as_css), "tabId": TAB},
        show=answers.markdown,
        shows_prose=True,
    ),
    Row(
        name="fill_form",
        description="Fill many fields, and submit if asked to.",
        command="fill_form",
        params={
            "fields": Param(
                schema={
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                    "minProperties": 1,
                    "description": "CSS selector to value: text, an option, true or false",
                },
                to="fields",
                turn=_as_fields,
            ),
            "submitSelector": Param(schema=text("What to click at the end"), to="submit_target", turn=as_css),
            "tabId": TAB,
        },
        required=("fields",),
        show=answers.filled,
    ),
    Row(
        name="download_file",
        description="Download a URL, or what an element links to.",
        command="download_file",
        params={
            "url": Param(schema=text("What to download; or selector or ref"), to="url"),
            **_TARGET,
            "suggestedName": Param(schema=text("File name"), to="name"),
            "tabId": TAB,
        },
        one_of=("url", *_ONE),
        show=answers.downloaded,
    ),
    Row(
        name="handle_dialog",
        description="Answer the open alert, confirm, prompt or beforeunload dialog.",
        command="handle_dialog",
        params={
            "accept": Param(schema=flag("OK or leave, the default; false: Cancel or stay"), to="accept"),
            "promptText": Param(schema=text("Text for a prompt"), to="text"),
            "tabId": TAB,
        },
        show=answers.OK,
    ),
    Row(name="chrome_status", description="State of the hub and its tabs.", command="status", show=answers.status),
)
