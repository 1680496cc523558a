"""Visibility of tabs and calls for a Console. Called with the Console's client as the client in progress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.commands.core.recorder import RecordingState
from kapture.commands.core.registry import get_command
from kapture.errors import KaptureError
from kapture.hub import Client, Hub
from kapture.hub.consent import address_of
from kapture.hub.records import CallState
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import Tab
from kapture.page import Page
from kapture.wire import console as wire
from kapture.wire.extension_messages import TabRequest

_CHANGING = ("running", "waiting", "silentMs", "openRequests", "bufferedBytes", "heldBytes")
"""Fields that change with every call or message: a row is not sent again for these alone."""


def tab_rows(hub: Hub) -> dict[str, dict[str, Any]]:
    """Rows of tabs, by id, without fields that change all the time. `level` is what the grant allows under the policy;
    `pausedClients`: whom the person has stopped there; `controlled`: the Console can have the tab disconnected;
    `readable`: its page may be read now."""
    levels = {tab_id: info.level.name.lower() for tab_id, info in hub.tabs.items()}
    rows = {}
    for row in hub.tab_states():
        kept = {key: value for key, value in row.items() if key not in _CHANGING}
        tab = hub.state.router.connected.get(row["tabId"])
        controlled = tab is not None and hub.tab_control.possible(tab)
        rows[row["tabId"]] = {
            **kept,
            "level": levels.get(row["tabId"], "none"),
            "controlled": controlled,
            "pausedClients": list(hub.state.pauses.clients(row["tabId"])),
            "readable": tab is not None and _readable(hub.state, tab),
        }
    return rows


def questions(hub: Hub) -> list[str]:
    """Return the open questions to people, each once: a tab is asked for in every browser at the same time."""
    asked = [question.title for question in hub.state.consent.approvals.open_questions]
    for extension in hub.state.extensions.connected.values():
        asked += [_asked_of_browser(request) for request in extension.pending]
    return list(dict.fromkeys(asked))


def handed_over(hub: Hub) -> list[wire.HandedOver]:
    """The tabs that their person has, and gives back in the Console, because their browsers show nothing of Kapture."""
    return [
        wire.HandedOver(
            tab_id=one.tab.tab_id,
            client=one.client.display_name,
            what=one.what,
            since=one.since * 1_000,
            expires_at=one.expires_at * 1_000,
        )
        for one in hub.hand_overs.open
        if not one.asks
    ]


def _asked_of_browser(request: TabRequest) -> str:
    """As the browser's window begins, without what the client wrote."""
    what = "to connect a tab" if request.tab_id is None else "to change what is allowed on a tab"
    return f"{request.client or 'A client'} asks {what}. The answer is given in the browser."


def recordings(hub: Hub) -> dict[str, RecordingState]:
    """Unsaved recordings by tab, where the page may be read: names of elements are page content."""
    state = hub.state
    if state.recorder is None:
        return {}
    found = {
        tab_id: state.recorder.state(tab_id) for tab_id, tab in state.router.connected.items() if _readable(state, tab)
    }
    return {tab_id: recording for tab_id, recording in found.items() if recording is not None}


def readable(state: HubState, tab_id: str) -> bool:
    """Whether the page of a tab may be read now; it may not once the tab is gone."""
    tab = state.router.connected.get(tab_id)
    return tab is not None and _readable(state, tab)


def _readable(state: HubState, tab: Tab) -> bool:
    return state.consent.shown_address(tab) == address_of(tab)


def silent_ms(hub: Hub) -> dict[str, int]:
    """Milliseconds since each tab's last message."""
    return {row["tabId"]: row["silentMs"] for row in hub.tab_states() if row["silentMs"] is not None}


def client_rows(hub: Hub) -> list[dict[str, Any]]:
    """The connected clients."""
    return [{**client.described(), "version": client.version} for client in hub.state.clients]


def shown_call(state: HubState, call: CallState) -> wire.Call:
    """A call for the Console. Its error message may quote the page, and is shown only where the page may be read."""
    shown = call.tab_id is None or readable(state, call.tab_id)
    return wire.Call(
        number=call.number,
        command=call.command,
        client=call.client,
        client_id=call.client_id,
        since=round(call.since * 1_000, 1),
        tab_id=call.tab_id,
        waited_ms=call.waited_ms,
        duration_ms=call.duration_ms,
        outcome=call.outcome,
        message=call.message if shown else "",
        did=call.did if shown else "",
        arguments=_plain(call.arguments),
    )


def why_no_picture(state: HubState, client: Client, tab: Tab, page: Page) -> str | None:
    """Why this client may not see the tab's picture now; None if a complete screenshot would be allowed."""
    screenshot = get_command("screenshot")
    decision = state.consent.decide(client, screenshot, screenshot.params(), tab)
    if not decision.allowed:
        return decision.reason
    try:
        if all(frame.granted for frame in page.frames.all()) and page.frames.main.granted:
            return None
    except KaptureError as error:  # between two main frames there is none
        return error.message
    return "A part of this page is outside the grant."


def _plain(arguments: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return dict(arguments) if arguments is not None else None
