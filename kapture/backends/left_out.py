"""What the extension has left out of a page's events, because too many came at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kapture.wire import messages

if TYPE_CHECKING:
    from kapture.page import Page


def note_left_out(page: Page, event: messages.Event) -> None:
    """Note what was left out before this event, which says how much that was."""
    if not event.dropped:
        return
    if event.method == "Target.attachedToTarget":
        page.console.note_workers_let_go(page.connection.session(event.session_id), event.dropped)
    elif "requestId" in event.params:  # messages of a WebSocket
        page.network.kept.note_dropped((event.session_id, str(event.params["requestId"])), event.dropped)
    else:
        page.console.note_dropped(event.dropped)
