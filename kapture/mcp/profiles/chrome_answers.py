"""The answers of the `chrome` profile: JSON with the blueprint's names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from kapture.commands.core.answer import CallResult
from kapture.errors import CommandTimeout, ErrorCode, ExecutionFailed, KaptureError
from kapture.mcp.profiles.shapes import ErrorCodes, Fields, as_json, json_constant, json_fields, pick
from kapture.mcp.tool import ShowContext

ERROR_CODES: ErrorCodes = {
    ErrorCode.COMMAND_TIMEOUT: "TIMEOUT",
    ErrorCode.ELEMENT_NOT_FOUND: "SELECTOR_NOT_FOUND",
    ErrorCode.TAB_NOT_FOUND: "STALE_TAB",
    ErrorCode.TAB_DISCONNECTED: "EXTENSION_DISCONNECTED",
    (ErrorCode.TAB_DISCONNECTED, "target_closed"): "STALE_TAB",
    ErrorCode.EXECUTION_ERROR: "EVAL_FAILED",
    ErrorCode.QUEUE_FULL: "BACKPRESSURE",
}
"""The blueprint's error codes, where they differ from Kapture's."""

_CDP = ("launch", "attach")

OK = json_constant({"ok": True})
NAVIGATED = json_fields({"url": "url", "title": "title", "httpStatus": "status"})


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
    return selected_tab(result, context)


def selected_tab(result: CallResult, context: ShowContext) -> str:
    """The tab that `tab_select` made active."""
    tab_id = result.data.get("tabId")
    rows = context.after.data.get("tabs", ()) if context.after is not None else ()
    index, row = next(((at, row) for at, row in enumerate(rows) if row["tabId"] == tab_id), (len(rows), result.data))
    return as_json(_tab(row, active=True, index=index))


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


def threw(error: KaptureError) -> str | None:
    """For `eval`: an exception thrown by the page is a result."""
    if isinstance(error, ExecutionFailed):
        return as_json({"ok": False, "error": error.message})
    return None


def ran_out(error: KaptureError) -> str | None:
    """For `wait_for`: a timeout is a result."""
    if isinstance(error, CommandTimeout):
        waited_ms = error.data.get("waitedMs", error.data.get("timeoutMs"))
        return as_json({"matched": False, "waitedMs": waited_ms})
    return None


def executor(kind: str | None) -> str | None:
    """The blueprint's name for a kind of backend."""
    return None if kind is None else "cdp" if kind in _CDP else "extension"


def status(result: CallResult, context: ShowContext) -> str:
    """`ExecutorStatus` of the blueprint: its executors are the extension, and a browser connected over CDP."""
    facts = result.data.get("status", {})
    rows = facts.get("tabs", ())
    backends = {tab["tabId"]: tab["backend"] for tab in rows if tab["state"] == "connected"}
    active = context.current_tab if context.current_tab in backends else None
    kind = backends[active] if active is not None else next(iter(backends.values()), None)
    answer: dict[str, Any] = {
        "ready": bool(backends),
        "backend": executor(kind),
        "activeTabId": active,
        "extensionConnected": any(kind not in _CDP for kind in backends.values()),
        "cdpAttached": any(kind in _CDP for kind in backends.values()),
        "silentMs": next((tab.get("silentMs") for tab in rows if tab["tabId"] == active), None),
        "refusedDisplacements": len(facts.get("refusedDisplacements", ())),
        "supersededConnections": len(facts.get("supersededConnections", ())),
    }
    if not backends:
        reason = facts.get("noTab") or {}
        answer["detail"] = " ".join(filter(None, (reason.get("message"), reason.get("advice"))))
    return as_json(answer)


def downloaded(result: CallResult, context: ShowContext) -> str:
    """The file of `download_file`."""
    fields: Fields = {"path": "path", "bytes": "bytes", "mimeType": "type"}
    name = context.arguments.get("suggestedName") or PurePath(str(result.data.get("path", ""))).name
    known = {key: value for key, value in pick(result.data, fields).items() if value != ""}  # a type may be unknown
    return as_json({**known, "suggestedName": name, "backend": executor(context.backend)})


def waited(result: CallResult, context: ShowContext) -> str:
    """Return the result of `wait_for`."""
    element = result.data.get("element") or {}
    found = {"matched": True, "ref": element.get("ref"), "waitedMs": result.data.get("waited_ms")}
    return as_json({key: value for key, value in found.items() if value is not None})


def markdown(result: CallResult, context: ShowContext) -> str | None:
    """The text of `read_as_markdown`."""
    content = result.data.get("content")
    return content if isinstance(content, str) else None


def _in_codes(error: Mapping[str, Any]) -> dict[str, Any]:
    code = error.get("code")
    return {**error, "code": next((theirs for ours, theirs in ERROR_CODES.items() if ours == code), code)}


def filled(result: CallResult, context: ShowContext) -> str:
    """How many fields `fill_form` filled, and which fields, as the client names them, it could not fill."""
    results = result.data.get("results", ())
    selectors = tuple(context.arguments.get("fields", ()))
    failed = [
        {"field": selector, "error": {name: _in_codes(field["error"])[name] for name in ("code", "message")}}
        for selector, field in zip(selectors, results, strict=False)
        if not field["filled"]
    ]
    answer = {
        "filled": sum(1 for field in results if field["filled"]),
        "submitted": "submitSelector" in context.arguments and not failed,
    }
    return as_json({**answer, "failed": failed} if failed else answer)
