"""Hints from the page on why a step failed: a form, an open dialog, alerts."""

from __future__ import annotations

from kapture.commands.core.context import HubCall
from kapture.errors import KaptureError
from kapture.scenarios.replay.page_nodes import name_of, nodes_of

_MOST_ALERTS = 3
_LONGEST = 200
_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "checkbox", "radio", "listbox", "switch"})
_DIALOGS = frozenset({"dialog", "alertdialog"})


OPEN_DIALOGS = ":modal, [aria-modal=true], [role=dialog], [role=alertdialog]"


async def open_dialogs(call: HubCall, tab_id: str) -> list[str]:
    """The names of the dialogs that the page shows; none if it cannot be read."""
    try:
        answer = await call("elements", {"tabId": tab_id, "target": {"css": OPEN_DIALOGS}, "max": _MOST_ALERTS})
    except KaptureError:
        return []
    found = answer.data.get("elements", ())  # a tab that executes commands itself answers as it likes
    return [str(one.get("name") or "")[:_LONGEST] for one in found if one["visible"]]


async def page_hints(call: HubCall, tab_id: str) -> list[str]:
    """One line each; none if the page cannot be read."""
    try:
        answer = await call("snapshot", {"tabId": tab_id, "format": "json", "max_chars": 200_000})
    except KaptureError:
        return []  # the step's error matters more
    nodes = nodes_of(answer.data.get("tree") or {})
    fields = sum(node.get("role") in _FIELDS for node in nodes)
    dialogs = [name_of(node)[:_LONGEST] for node in nodes if node.get("role") in _DIALOGS]
    alerts = dict.fromkeys(name_of(node)[:_LONGEST] for node in nodes if node.get("role") == "alert")
    return [
        *([f"the page is a form with {fields} fields"] if fields > 1 else []),
        *(f"a dialog is open: {text!r}" for text in dialogs),
        *[f"the page shows an alert: {text!r}" for text in alerts if text][:_MOST_ALERTS],
    ]
