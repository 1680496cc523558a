"""The answers of the `chrome` profile: JSON with the blueprint's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.commands.core.result import CallResult
from kapture.mcp.profiles.shapes import Fields, as_json, json_constant, json_fields, pick
from kapture.mcp.tool import ShowContext

OK = json_constant({"ok": True})
ARRIVED = json_fields({"url": "url", "title": "title", "httpStatus": "status"})


def tabs(result: CallResult, context: ShowContext) -> str:
    """The rows of `tabs_list`."""
    return as_json(
        [
            _tab(row, active=row["tabId"] == context.current_tab, index=index)
            for index, row in enumerate(result.data.get("tabs", ()))
        ]
    )


def _tab(row: Mapping[str, Any], **facts: Any) -> dict[str, Any]:
    return {"tabId": row.get("tabId"), "url": row.get("url", ""), "title": row.get("title", ""), **facts}


def opened_tab(result: CallResult, context: ShowContext) -> str:
    """The tab that `tab_new` opened."""
    return as_json(_tab(result.data, active=True))


def selected_tab(result: CallResult, context: ShowContext) -> str:
    """The tab that `tab_select` made active."""
    tab_id = result.data.get("tabId")
    rows = context.after.data.get("tabs", ()) if context.after is not None else ()
    row = next((row for row in rows if row["tabId"] == tab_id), result.data)
    return as_json(_tab(row, active=True))


def closed_tab(result: CallResult, context: ShowContext) -> str:
    """The tab that `tab_close` closed."""
    return as_json({"closed": True, "tabId": result.data.get("tabId")})


def screenshot(result: CallResult, context: ShowContext) -> str:
    """The size of a picture."""
    fields: Fields = {"width": "width", "height": "height", "fullHeight": "full_height"}
    return as_json({**pick(result.data, fields), "truncated": bool(result.data.get("truncated"))})


def evaluated(result: CallResult, context: ShowContext) -> str:
    """The value of `eval`."""
    return as_json({"ok": True, "value": result.data.get("value"), "type": result.data.get("type")})


def waited(result: CallResult, context: ShowContext) -> str:
    """What `wait_for` found."""
    element = result.data.get("element") or {}
    found = {"matched": True, "ref": element.get("ref"), "waitedMs": result.data.get("waited_ms")}
    return as_json({key: value for key, value in found.items() if value is not None})


def markdown(result: CallResult, context: ShowContext) -> str | None:
    """The text of `read_as_markdown`."""
    content = result.data.get("content")
    return content if isinstance(content, str) else None


def filled(result: CallResult, context: ShowContext) -> str:
    """How many fields `fill_form` filled, and which it could not."""
    results = result.data.get("results", ())
    failed = [pick(field, {"field": "field", "error": "error"}) for field in results if not field["filled"]]
    answer = {
        "filled": sum(1 for field in results if field["filled"]),
        "submitted": "submitSelector" in context.arguments and not failed,
    }
    return as_json({**answer, "failed": failed} if failed else answer)
