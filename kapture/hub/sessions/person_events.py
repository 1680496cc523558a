"""Events of a tab that its person causes in the extension: another grant, or taking the tab back from a script."""

from __future__ import annotations

from msgspec import UNSET

from kapture.hub.changed_grant import apply_grant
from kapture.hub.grants.reported_grants import reported_grant
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import Tab
from kapture.wire import messages


def apply_person_event(state: HubState, tab: Tab, event: messages.Event) -> None:
    """Apply a changed grant, or end a script's hold. Other events are ignored here."""
    if event.event == "grant" and event.grant is not UNSET:
        grant = state.pending_narrowings.reported(tab.tab_id, reported_grant(event.grant))
        apply_grant(state, tab, grant)
    elif event.event == "release":
        tab.end_hold()
