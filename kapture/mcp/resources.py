"""Resources: the connected tabs, and for each tab what can be read without acting on it.

    kapture://tabs                   every connected tab
    kapture://tab/{id}               one tab
    kapture://tab/{id}/console       its console
    kapture://tab/{id}/snapshot      its page as an outline
    kapture://tab/{id}/screenshot    its viewport
    kapture://tab/{id}/network       its requests
    kapture://tab/{id}/pins          what the person points at in it

Each is a command of the registry, run through the same queue and the same grants as a tool.

    kapture://command/{name}         one command with the whole schema of its arguments, as JSON: for `kapture call`
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import attrs
from mcp.shared.exceptions import MCPError

from kapture.commands.core.answer import CallResult
from kapture.commands.core.registry import get_command
from kapture.commands.core.schema import input_schema
from kapture.hub import Hub, HubEvent
from kapture.hub.client import Client
from kapture.mcp.results import fence, said_text

TABS = "kapture://tabs"
COMMAND = "kapture://command/"
_TAB = "kapture://tab/"
NOT_FOUND = -32002


@attrs.frozen(kw_only=True)
class View:
    """One resource of a tab: the command that reads it, and its description."""

    command: str
    mime_type: str
    description: str
    arguments: Mapping[str, Any] = attrs.field(factory=dict)


VIEWS: Mapping[str, View] = {
    "": View(command="tab_info", mime_type="text/plain", description="One connected tab"),
    "console": View(command="logs", mime_type="text/plain", description="Console messages and errors of a tab"),
    "snapshot": View(command="snapshot", mime_type="text/plain", description="The page of a tab as an outline"),
    "screenshot": View(command="screenshot", mime_type="image/jpeg", description="The viewport of a tab"),
    "network": View(command="network", mime_type="text/plain", description="Requests of a tab"),
    "pins": View(command="pins", mime_type="text/plain", description="What the person points at in a tab"),
}


def tab_uri(tab_id: str, view: str = "") -> str:
    """The URI of a tab, or of one view of it."""
    return f"{_TAB}{tab_id}/{view}" if view else f"{_TAB}{tab_id}"


def split(uri: str) -> tuple[str, str] | None:
    """`(tabId, view)` of a tab's URI, `("", "")` for the list of tabs, None for any other URI."""
    if uri == TABS:
        return "", ""
    if not uri.startswith(_TAB):
        return None
    tab_id, _, view = uri.removeprefix(_TAB).partition("/")
    return (tab_id, view) if tab_id and view in VIEWS else None


def check(uri: str) -> tuple[str, str]:
    """As `split`, but raises MCP's error for an unknown resource."""
    found = split(uri)
    if found is None:
        raise MCPError(code=NOT_FOUND, message=f"There is no resource {uri!r}.", data={"uri": uri})
    return found


def listing(hub: Hub, browser: str = "") -> list[dict[str, Any]]:
    """The current resources: the list of tabs, and each connected tab; of the `browser` that the client is bound to."""
    tabs = {"uri": TABS, "name": "tabs", "title": "Connected tabs", "mimeType": "text/plain"}
    seen = [tab_id for tab_id in hub.tabs if not browser or hub.in_browser(tab_id, browser)]
    # No title of the page here: it would be unmarked page text in the model's context, and may be outside the grant.
    return [tabs, *({"uri": tab_uri(tab_id), "name": tab_id, "mimeType": "text/plain"} for tab_id in seen)]


def templates() -> list[dict[str, Any]]:
    """URI templates of the resources that every connected tab has."""
    return [
        {
            "uriTemplate": tab_uri("{id}", view),
            "name": f"tab {view}".rstrip(),
            "description": entry.description,
            "mimeType": entry.mime_type,
        }
        for view, entry in VIEWS.items()
    ]


async def read(hub: Hub, client: Client, uri: str) -> dict[str, Any]:
    """The content of this resource."""
    if uri.startswith(COMMAND):
        command = get_command(uri.removeprefix(COMMAND))
        about = {"name": command.name, "schema": input_schema(command)}
        return {"uri": uri, "mimeType": "application/json", "text": json.dumps(about)}
    tab_id, name = check(uri)
    if uri == TABS:
        return _contents(uri, await hub.call(client, "list_tabs", {}), "text/plain")
    view = VIEWS[name]
    result = await hub.call(client, view.command, {"tabId": tab_id, **view.arguments})
    return _contents(uri, result, view.mime_type)


def _contents(uri: str, result: CallResult, mime_type: str) -> dict[str, Any]:
    if result.parts and mime_type.startswith("image/"):
        part = result.parts[0]
        return {"uri": uri, "mimeType": part.mime_type, "blob": part.base64}
    text = fence(result.text) if result.untrusted and result.text else result.text
    return {"uri": uri, "mimeType": mime_type, "text": "\n".join([*map(said_text, result.said), text])}


def changes_list(event: HubEvent) -> bool:
    """Whether `resources/list` changes with this event. It names the tabs, not what they show."""
    return event.kind in ("tab_connected", "tab_disconnected", "missed")


def touched(event: HubEvent) -> Iterator[str]:
    """The URIs of resources that change with this event."""
    tab_id = event.tab_id
    if changes_list(event) or event.kind in ("tab_changed", "grant_changed", "browsers_changed", "page_tools"):
        yield TABS
        if tab_id:
            yield tab_uri(tab_id)
    if tab_id and event.kind == "tab_changed":
        yield from (tab_uri(tab_id, view) for view in ("snapshot", "screenshot", "network"))
    if tab_id and event.kind == "pins":
        yield tab_uri(tab_id, "pins")
    if tab_id and event.kind == "console":
        yield tab_uri(tab_id, "console")
