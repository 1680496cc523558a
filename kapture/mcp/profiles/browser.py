"""The `browser` profile: the nine tools of the Alma browser relay, and one more to answer dialogs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.commands.core.answer import CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.profiles.shapes import Fields, as_css, as_json, choice, flag, pick, text
from kapture.mcp.profiles.table import Param, Row
from kapture.mcp.tool import PlannedCall, ShowContext

_TAB = Param(schema=text("Tab, from browser_list_tabs; default: the one used last"), to="tabId")
_SELECTOR = Param(schema=text("CSS selector"), to="target", turn=as_css)
_TAB_INFO: Fields = {"tabId": "tabId", "url": "url", "title": "title", "attached": "attached"}


def _tabs(result: CallResult, context: ShowContext) -> str | None:
    """The rows of `browser_list_tabs`; no browser at all is an error, as for every tool of the specification."""
    none = result.data.get("none")
    if none is not None and none["state"] != "no_tab_connected":
        raise KaptureError(ErrorCode.NO_BACKEND, none["message"], hint=none["advice"], data={"state": none["state"]})
    return as_json([_tab(row, context) for row in result.data.get("tabs", ())])


def _tab(row: Mapping[str, Any], context: ShowContext) -> dict[str, Any]:
    tab = pick(row, _TAB_INFO)
    return {**tab, "tabId": context.short(tab["tabId"])} if "tabId" in tab else tab


def _navigated(result: CallResult, context: ShowContext) -> str | None:
    """The tab, as `browser_list_tabs` has it. An answer without these fields, as a tab's that executes commands itself,
    stays as it is."""
    shaped = pick(result.data, {"url": "url", "title": "title", "status": "status"})
    return as_json({**_tab({"tabId": context.current_tab}, context), **shaped}) if shaped else None


def _list_tabs(arguments: Mapping[str, Any]) -> PlannedCall:
    return PlannedCall(command="list_tabs", arguments={})


def _opened(result: CallResult, context: ShowContext) -> str | None:
    """The tab that was opened, as `browser_list_tabs` has it: its title comes with its page."""
    listed = () if context.after is None else context.after.data.get("tabs", ())
    row = next((row for row in listed if row["tabId"] == result.data.get("tabId")), result.data)
    shaped = _tab({name: value for name, value in row.items() if name != "attached"}, context)
    return as_json(shaped) if shaped else None


def _evaluated(result: CallResult, context: ShowContext) -> str:
    return as_json(result.data.get("value"))


def _content(result: CallResult, context: ShowContext) -> str | None:
    content, length = result.data.get("content"), result.data.get("length", 0)
    if not isinstance(content, str):
        return None
    cut = f"\n\n[characters 0-{len(content)} of {length}; selector names a part]" if len(content) < length else ""
    return content + cut


def _status(result: CallResult, context: ShowContext) -> str:
    tabs = result.data.get("status", {}).get("tabs", ())
    connected = sum(1 for tab in tabs if tab["state"] == "connected")
    return as_json({"connected": connected > 0, "tabs": connected})


ERROR_WORDS = {ErrorCode.NO_BACKEND: "Chrome extension not connected."}
"""In the words of the relay's specification."""

ROWS = (
    Row(
        name="browser_list_tabs",
        description="List the connected tabs.",
        command="list_tabs",
        show=_tabs,
    ),
    Row(
        name="browser_navigate",
        description="Go to a URL.",
        command="navigate",
        params={"tabId": _TAB, "url": Param(schema=text("Where to"), to="url")},
        required=("url",),
        picks_tab="argument",
        show=_navigated,
    ),
    Row(
        name="browser_screenshot",
        description="Picture of a tab's viewport.",
        command="screenshot",
        params={"tabId": _TAB},
        fixed={"format": "png"},
        picks_tab="argument",
    ),
    Row(
        name="browser_click",
        description="Click an element.",
        command="click",
        params={"tabId": _TAB, "selector": _SELECTOR},
        required=("selector",),
        picks_tab="argument",
    ),
    Row(
        name="browser_type",
        description="Type text into a field.",
        command="type",
        params={"tabId": _TAB, "selector": _SELECTOR, "text": Param(schema=text("What to type"), to="text")},
        required=("selector", "text"),
        picks_tab="argument",
    ),
    Row(
        name="browser_get_content",
        description="Visible text of the page or an element, or its HTML without scripts, styles and hidden parts.",
        command={"text": "get_text", "html": "get_html"},
        choose="format",
        default_choice="text",
        params={
            "tabId": _TAB,
            "selector": _SELECTOR,
            "format": Param(schema=choice("Default: text", "text", "html")),
        },
        picks_tab="argument",
        show=_content,
        shows_prose=True,
    ),
    Row(
        name="browser_evaluate",
        description="Run JavaScript in the page; needs full access.",
        command="evaluate",
        params={"tabId": _TAB, "expression": Param(schema=text("JavaScript; its value is the answer"), to="code")},
        required=("expression",),
        picks_tab="argument",
        show=_evaluated,
    ),
    Row(
        name="browser_new_tab",
        description="Open a tab.",
        command="tab_new",
        params={"url": Param(schema=text("Default: an empty page"), to="url")},
        picks_tab="answer",
        then=_list_tabs,
        show=_opened,
    ),
    Row(
        name="browser_handle_dialog",
        description="Answer the open alert, confirm, prompt or beforeunload dialog.",
        command="handle_dialog",
        params={
            "tabId": _TAB,
            "accept": Param(schema=flag("OK or leave, the default; false: Cancel or stay"), to="accept"),
            "text": Param(schema=text("Text for a prompt"), to="text"),
        },
        picks_tab="argument",
    ),
    Row(
        name="browser_status",
        description="Whether a browser is connected, and its tabs.",
        command="status",
        show=_status,
    ),
)
