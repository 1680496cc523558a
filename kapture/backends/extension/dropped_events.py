"""Events of a page that the extension dropped because too many came at once: noted where a client sees the gap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kapture.wire import messages

if TYPE_CHECKING:
    from kapture.page import Page


def note_dropped_events(page: Page, event: messages.Event) -> None:
    """Note how many events were dropped before this one, as it says itself."""
    if not event.dropped:
        return
    if event.method == "Target.attachedToTarget":
        page.console.note_workers_let_go(page.connection.session(event.session_id), event.dropped)
    elif "requestId" in event.params:  # messages of a WebSocket
        page.network.kept.note_dropped((event.session_id, str(event.params["requestId"])), event.dropped)
    else:
        page.console.note_dropped(event.dropped)
