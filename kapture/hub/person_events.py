"""What a tab's person does about it in the extension, as the tab's events say."""

from __future__ import annotations

from msgspec import UNSET

from kapture.hub.state import HubState
from kapture.hub.tab import Tab
from kapture.wire import messages


def apply_person_event(state: HubState, tab: Tab, event: messages.Event) -> None:
    """Another grant holds from now on; or a script loses the tab. Other events are nothing that a person does."""
    if event.event == "grant" and event.grant is not UNSET:
        state.consent.change_grant(tab, event.grant)
        state.events.publish("grant_changed", tab.tab_id)
    elif event.event == "release":
        tab.end_hold()
